/// Every bound of state machines, with its reason and with what happens when it is reached; and
/// what can go wrong. docs/guide/machines.md is checked against both tables by a test.
#pragma once

#include "entity/catalogue.hpp"
#include "entity/machines/error.hpp"

namespace starbus::entity {

// X(constant, value, unit, reason, when reached)
#define STARBUS_MACHINE_LIMITS(X)                                                                \
  X(kMaxMachineSteps, 64, "steps",                                                               \
    "changes and waiting events of one call: states that send each other back without end must " \
    "be found",                                                                                  \
    "too_many_steps")                                                                            \
  X(kMaxMachineEvents, 64, "events", "that wait for one handler to return", "too_many_events")

#define X(constant, value, unit, reason, reached) inline constexpr std::uint64_t constant = value;
STARBUS_MACHINE_LIMITS(X)
#undef X

std::span<const LimitInfo> machine_limits();

}  // namespace starbus::entity
