#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace starbus::daemon {

/// Notices that the wall clock was set: log lines of different machines no longer fit each other,
/// and certificates may look expired. Nothing of the bus depends on it; leases run on the boot
/// clock. A plain value; feed it about once a second.
class ClockWatch {
 public:
  using Wall = std::chrono::system_clock::time_point;
  using Boot = std::chrono::nanoseconds;
  /// Smaller corrections are normal time synchronisation.
  static constexpr std::chrono::milliseconds kJump{500};

  /// The jump of the wall clock since the previous call; nullopt if it has not jumped.
  std::optional<std::chrono::milliseconds> observe(Wall wall, Boot boot) {
    const auto offset =
        std::chrono::duration_cast<std::chrono::milliseconds>(wall.time_since_epoch() - boot);
    const auto jump = offset_ ? offset - *offset_ : std::chrono::milliseconds(0);
    offset_ = offset;
    if (jump < kJump && jump > -kJump) return std::nullopt;
    ++jumps_;
    latest_ = boot;
    return jump;
  }
  std::uint64_t jumps() const { return jumps_; }
  /// Time since the latest jump; nullopt if there was none.
  std::optional<Boot> age(Boot now) const {
    return latest_ ? std::optional(now - *latest_) : std::nullopt;
  }

 private:
  std::optional<std::chrono::milliseconds> offset_;
  std::uint64_t jumps_ = 0;
  std::optional<Boot> latest_;
};

}  // namespace starbus::daemon
