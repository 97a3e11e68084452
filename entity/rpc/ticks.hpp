#pragma once

#include <chrono>
#include <cstdint>

namespace starbus::entity::rpc {

/// The time of the steady clock.
inline std::uint64_t nanoseconds_now() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::steady_clock::now().time_since_epoch())
                                        .count());
}

/// The cheapest clock: the processor's time stamp counter where there is one that runs at a
/// constant rate, as on every x86-64 of the last fifteen years.
inline std::uint64_t ticks() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  return nanoseconds_now();
#endif
}

/// Both clocks at one moment; two of these give the length of a tick.
struct TickMark {
  std::uint64_t ticks_then = ticks();
  std::uint64_t nanoseconds_then = nanoseconds_now();

  /// The longer ago the mark, the more exact; 1 within the first microsecond.
  double nanoseconds_per_tick() const {
    const std::uint64_t passed = nanoseconds_now() - nanoseconds_then;
    const std::uint64_t counted = ticks() - ticks_then;
    return passed < 1000 || counted == 0
               ? 1.0
               : static_cast<double>(passed) / static_cast<double>(counted);
  }
};

}  // namespace starbus::entity::rpc
