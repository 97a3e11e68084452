/// Counts recent events for operators; keeps the latest kKept times. A plain value.
#pragma once

#include <algorithm>
#include <array>

#include "bus/core/lanes.hpp"

namespace starbus::bus {

class RecentTimes {
 public:
  /// How many times are kept, and how long one counts.
  static constexpr std::size_t kKept = 16;
  static constexpr Time kSpan = std::chrono::minutes(10);

  /// An event has happened.
  void note(Time now) {
    times_[next_++ % kKept] = now;
    count_ = std::min(count_ + 1, kKept);
  }
  /// The events of the latest kSpan; at most kKept.
  std::size_t count(Time now) const {
    return static_cast<std::size_t>(
        std::count_if(times_.begin(), times_.begin() + static_cast<std::ptrdiff_t>(count_),
                      [&](Time time) { return now - time <= kSpan; }));
  }

 private:
  std::array<Time, kKept> times_{};
  std::size_t next_ = 0;
  std::size_t count_ = 0;
};

}  // namespace starbus::bus
