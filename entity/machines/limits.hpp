/// Every bound of state machines, with its reason and with what happens when it is reached; and
/// what can go wrong. docs/machines.md is checked against both tables by a test.
#pragma once

#include "entity/catalogue.hpp"

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

// X(code, meaning)
#define STARBUS_MACHINE_ERRORS(X)                                                                \
  X(not_running, "the machine has not been started, or has stopped")                             \
  X(already_running, "the machine has been started")                                             \
  X(already_changing,                                                                            \
    "a change is under way: one handler asks for one change, and on_exit for none")              \
  X(too_many_steps, "one call caused more changes and events than it may; the rest was dropped") \
  X(too_many_events, "too many events wait for a handler to return")

enum class MachineErrc : std::uint8_t {
  ok = 0,
#define X(code, meaning) code,
  STARBUS_MACHINE_ERRORS(X)
#undef X
};

std::span<const ErrorInfo<MachineErrc>> machine_errors();

/// "not_running"; "ok" for ok.
std::string_view name_of(MachineErrc code);

/// What reading the value of a failed result throws.
using BadMachineResult = BadCode<MachineErrc>;

template <class T = void>
using MachineResult = boost::system::result<T, MachineErrc>;

}  // namespace starbus::entity
