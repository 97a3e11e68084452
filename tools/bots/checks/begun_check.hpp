/// Whether outcomes are true: a method of the game counts how often it was begun, and each answer
/// has the count. Between two answers of one life it must have grown by what the outcomes say:
/// replied and reply_lost were begun, not_begun was not, unknown may have been. A plain value, for
/// the requests of one session and one method, which are begun in the order of asking.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "clients/cpp/requests.hpp"

namespace starbus::bots {

/// See above.
class BegunCheck {
 public:
  /// What an answer says.
  struct Count {
    std::uint64_t life = 0;
    std::uint64_t begun = 0;
  };
  /// An answer that does not fit: `begun` should be least .. most.
  struct Wrong {
    std::uint64_t least = 0;
    std::uint64_t most = 0;
    std::uint64_t got = 0;
  };

  /// The number of a request, for ended().
  std::uint64_t asked();
  /// `count` of one that was replied with a value. Returns the first that does not fit.
  std::optional<Wrong> ended(std::uint64_t request, game::Fate fate, std::optional<Count> count);

 private:
  struct Entry {
    std::optional<game::Fate> fate{};
    std::optional<Count> count{};
  };
  std::optional<Wrong> judge(const Entry& entry);

  std::deque<Entry> entries_;  // from first_ on
  std::uint64_t first_ = 0;
  std::optional<std::uint64_t> life_;  // of the latest answer
  std::uint64_t least_ = 0;            // begun in it, as far as outcomes were told
  std::uint64_t most_ = 0;
};

}  // namespace starbus::bots
