// The one clock of the benchmark: CLOCK_MONOTONIC, shared by all processes of a host, so a message
// stamped in one process can be timed in another.
#pragma once

#include <cstdint>

namespace starbus::bench {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kMillisecond = 1'000'000;

std::int64_t now_ns();

// Sleeps to an absolute time of now_ns().
void sleep_until_ns(std::int64_t when);

// Lets this process wake at the asked time instead of up to 50 microseconds later.
void use_precise_timers();

}  // namespace starbus::bench
