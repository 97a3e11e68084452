/// Every bound of the tick, with its reason and with what happens when it is reached.
#pragma once

#include "base/limits.hpp"
#include "entity/schedule/error.hpp"

namespace starbus::entity {

// X(constant, value, unit, reason, when reached)
#define STARBUS_TICK_LIMITS(X)                                                                  \
  X(kMaxTickFunctions, 4'096, "functions",                                                      \
    "systems tick, entities have timers: more is a loop that adds without end",                 \
    "too_many_functions")                                                                       \
  X(kMaxPrerequisites, 64, "functions", "that one waits for: people must be able to follow it", \
    "too_many_prerequisites")                                                                   \
  X(kMaxTickName, 64, "bytes", "of a function: it stands in reports", "bad_name")               \
  X(kMaxTickInterval, 24h, "beyond that, use a timer", "bad_interval")

STARBUS_LIMITS_OF(kTickLimits, STARBUS_TICK_LIMITS)

}  // namespace starbus::entity
