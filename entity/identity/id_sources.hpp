/// Where the ids come from that are unique over processes.
///
/// Both are used by the loop's thread, do no I/O and own nothing outside themselves.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "entity/identity/limits.hpp"

namespace starbus::entity {

/// Unique over the cluster; 0 is none.
enum class OnlineId : std::uint64_t { none = 0 };

/// Numbers that the manager has given to one process, for ever.
struct IdRange {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};

/// Draws online ids from ranges.
class OnlineIdSource {
 public:
  /// `ask` sends the manager a request for a range. It is called once per range that is wanted;
  /// who sends knows when to repeat.
  explicit OnlineIdSource(std::function<void()> ask) : ask_(std::move(ask)) {}

  /// Asks for the first range.
  void start();
  /// What the manager granted. Error: bad_range.
  IdentityResult<> grant(IdRange range);
  /// Error: no_ids.
  IdentityResult<OnlineId> next();

  /// Was a range asked for that has not come?
  bool waiting() const { return waiting_; }
  /// Ids that can be drawn without a further range.
  std::uint64_t left() const;

 private:
  void ask_if_low();

  std::function<void()> ask_;
  IdRange present_;
  std::vector<IdRange> ready_;  // granted, not begun; in order
  std::uint64_t low_ = 0;       // with fewer left than this, the next is asked for
  std::uint64_t end_ = 1;       // of all that were granted; 0 is no id
  bool waiting_ = false;
};

/// Draws persistent ids: "NODE.START.COUNTER", the last two in base 16.
class PersistentIdSource {
 public:
  /// `node` is a name of the cluster that one process has at a time; `start` its start, in
  /// milliseconds since 1970.
  PersistentIdSource(std::string_view node, std::uint64_t start);
  std::string next();
  /// Of an object that has an online id, which is unique already: "NODE.START.oID". Never one of
  /// next(), and kept nowhere: it is made when it is asked for.
  std::string of(OnlineId id) const;
  /// What of() was made from; none if it is no such id of this process.
  std::optional<OnlineId> read(std::string_view id) const;

 private:
  std::string prefix_;
  std::uint64_t counter_ = 0;
};

}  // namespace starbus::entity
