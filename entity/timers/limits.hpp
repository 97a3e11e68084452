/// Every bound of timers, with its reason and with what happens when it is reached.
#pragma once

#include "base/limits.hpp"

namespace starbus::entity {

// X(constant, value, unit, reason, when reached[, hit by])
#define STARBUS_TIMER_LIMITS(X)                                                                  \
  X(kMaxTimers, 4 * 1024 * 1024 - 1, "timers",                                                   \
    "600 MB, 850 at worst; four times what a full node needs", "too_many_timers",                \
    "BoundedPassTest.ThereIsALimitOfTimers")                                                     \
  X(kPassWork, 1'024, "timers",                                                                  \
    "moved or fired in a pass: some hundred nanoseconds each, so well below a millisecond",      \
    "the next pass goes on", "BoundedPassTest.AMillionAtOnceFireInOrderOverManyPasses")          \
  X(kMaxDelay, std::chrono::days(3'650), "further off is a mistake in units", "too_far")         \
  X(kMaxNamedTimers, 1'024, "timers", "per entity: they travel in its state", "too_many_timers", \
    "NamedTimersTest.HaveLimits")                                                                \
  X(kMaxTimerName, 64, "bytes", "the name of a method", "bad_name")                              \
  X(kMaxTimerArgs, 4'096, "bytes", "they are copied at each move", "too_large")

STARBUS_LIMITS_OF(kTimerLimits, STARBUS_TIMER_LIMITS)

}  // namespace starbus::entity
