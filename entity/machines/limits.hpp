/// Every bound of state machines, with its reason and with what happens when it is reached; and
/// what can go wrong. docs/machines.md is checked against both tables by a test.
#pragma once

#include <boost/system/result.hpp>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

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

struct MachineLimit {
  std::string_view name;
  std::uint64_t value;
  std::string_view unit;
  std::string_view reason;
  std::string_view when_reached;
};
std::span<const MachineLimit> machine_limits();

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

struct MachineErrorInfo {
  MachineErrc code;
  std::string_view name;
  std::string_view meaning;
};
std::span<const MachineErrorInfo> machine_errors();

/// "not_running"; "ok" for ok.
std::string_view name_of(MachineErrc code);

/// Reading the value of a failed result is a programming error and throws this.
class BadMachineResult : public std::logic_error {
 public:
  explicit BadMachineResult(MachineErrc code) : std::logic_error(std::string(name_of(code))) {}
};
[[noreturn]] inline void throw_exception_from_error(MachineErrc code,
                                                    const boost::source_location&) {
  throw BadMachineResult(code);
}

template <class T = void>
using MachineResult = boost::system::result<T, MachineErrc>;

}  // namespace starbus::entity
