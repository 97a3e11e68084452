/// The clock of the gate, as pings show it, and how long a round trip takes. A value of one
/// session, in its thread.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>

#include "clients/cpp/limits.hpp"

namespace starbus::game {

/// Milliseconds of the caller's own steady clock, since whenever.
using Time = milliseconds;

/// See above.
class ServerClock {
 public:
  /// Something was said at `sent` and answered at `now` by a gate whose clock showed `here`.
  void sample(Time sent, Time now, std::uint64_t here);
  /// Another connection begins: nothing is known.
  void clear() { *this = {}; }
  /// Smoothed; nullopt before the first answer.
  std::optional<milliseconds> round_trip() const { return round_trip_; }
  /// Milliseconds since 1970 at the gate, by the shortest of the latest round trips.
  std::optional<milliseconds> at(Time now) const;

 private:
  struct Sample {
    milliseconds round_trip{};
    milliseconds ahead{};  // of the gate's clock before the caller's
  };
  std::array<Sample, kClockSamples> samples_{};
  std::size_t count_ = 0;
  std::optional<milliseconds> round_trip_;
};

}  // namespace starbus::game
