/// When a bot says something that it says at a rate. The time-table is fixed when it begins: who is
/// late stays in the table, and latencies count from there (no coordinated omission). A plain
/// value; times are nanoseconds of one clock.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>

#include "tools/bots/limits.hpp"

namespace starbus::bots {

using Nanos = std::int64_t;
inline constexpr Nanos kSecond = 1'000'000'000;
inline constexpr Nanos nanos_of(std::chrono::milliseconds time) {
  return time / std::chrono::nanoseconds(1);
}
inline constexpr Nanos kNever = std::numeric_limits<Nanos>::max();

/// See above.
class Schedule {
 public:
  Schedule() = default;
  Schedule(Nanos first, Nanos period) : next_(first), period_(period) {}

  /// When the next one may be said: at its time, or as soon as the bound of catching up allows.
  Nanos due() const { return std::max(next_, earliest_); }
  /// The next one is said now; returns the time of the table.
  Nanos take(Nanos now) {
    const Nanos meant = next_;
    next_ += period_;
    earliest_ = now + period_ / static_cast<Nanos>(kCatchUp);
    return meant;
  }

 private:
  Nanos next_ = kNever;
  Nanos period_ = kSecond;
  Nanos earliest_ = 0;
};

}  // namespace starbus::bots
