/// The stream of a session's subject, put in order by its numbers, whichever process says them.
///
/// Parts of a lower (bind, run), or with a number below the next, are late. Parts of a bind that
/// the account has not told yet are early: they wait, and so do parts with one missing before
/// them (a hole). Belongs to the loop's thread. Bounded by kHeldBytes, kHeldParts, kEarlyParts:
/// a part beyond is refused, which leaves a hole.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "nodes/gate/core/packets.hpp"

namespace starbus::nodes::gate {

using sessions::Introduction;
using sessions::Part;

/// One part with all that is said about it.
struct HeldPart {
  Introduction at{};
  bus::Process home{};
  std::uint64_t n = 0;
  Part part{};
};

class PartOrder {
 public:
  enum class Put { taken, late, early, full };
  /// All of it: what a hand-over carries.
  struct State {
    Bind bind{};
    Run run{};               // {0, 0}: none was seen under this bind
    std::uint64_t next = 1;  // n
    bus::Process home{};     // that spoke last
    std::vector<HeldPart> held{};
    std::vector<HeldPart> early{};
  };
  PartOrder() = default;
  explicit PartOrder(State state);

  /// The account has told a bind: returns the parts that have waited for it. Only if above bind().
  std::vector<HeldPart> begin(const Bind& bind);
  Put put(HeldPart part);
  /// True if this part is the next one: it is to be passed on at once, and counts as taken. That of
  /// most parts, which need no copy then; false changes nothing: put().
  bool pass(const Introduction& at, const bus::Process& home, std::uint64_t n);
  /// The next part in order, if it is there.
  std::optional<HeldPart> take();
  /// Something is missing: parts are held, or the full state has not come.
  bool hole() const { return !held_.empty() || next_ == 1; }
  void clear();

  const Bind& bind() const { return bind_; }
  const Run& run() const { return run_; }
  std::uint64_t next() const { return next_; }
  const bus::Process& home() const { return home_; }
  State state() const;

 private:
  Bind bind_{};
  Run run_{};
  std::uint64_t next_ = 1;
  bus::Process home_{};
  std::map<std::uint64_t, HeldPart> held_;
  std::vector<HeldPart> early_;
  std::size_t bytes_ = 0;  // of both
};

}  // namespace starbus::nodes::gate
