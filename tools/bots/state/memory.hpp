/// What outlives the sessions of a bot: where it is, what it has heard of letters, and how the
/// fields of its properties that grow have grown. Belongs to the bot, in its loop's thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "tools/bots/checks/letters.hpp"
#include "tools/bots/schedule.hpp"

namespace starbus::bots {

/// A number that nothing else in this process has: of a stretch, or of a stay in a space.
inline std::uint64_t next_turn() {
  static std::atomic<std::uint64_t> turns{0};
  return ++turns;
}

/// A field that grows.
struct Past {
  struct Step {
    std::int64_t value;  // that it had
    Nanos until;         // and had no longer
  };
  bool known = false;
  std::int64_t last = 0;
  std::deque<Step> steps{};
};

/// See above.
struct Memory {
  std::uint64_t stretch = 0;
  Nanos stretch_at = 0;     // its begin
  std::uint64_t scene = 0;  // 0: in no space
  std::string space{};      // the latest that it was in
  std::string gate{};
  Nanos over_at = 0;  // of the latest stretch
  LettersHeard letters{};
  std::vector<Past> pasts{};  // of each of StateTable::grows
};

}  // namespace starbus::bots
