/// Every bound of state machines, with its reason and with what happens when it is reached.
#pragma once

#include "base/limits.hpp"
#include "entity/machines/error.hpp"

namespace starbus::entity {

// X(constant, value, unit, reason, when reached)
#define STARBUS_MACHINE_LIMITS(X)                                                                \
  X(kMaxMachineSteps, 64, "steps",                                                               \
    "changes and waiting events of one call: states that send each other back without end must " \
    "be found",                                                                                  \
    "too_many_steps")                                                                            \
  X(kMaxMachineEvents, 64, "events", "that wait for one handler to return", "too_many_events")

STARBUS_LIMITS_OF(kMachineLimits, STARBUS_MACHINE_LIMITS)

}  // namespace starbus::entity
