/// Every bound of the tick, with its reason and with what happens when it is reached; and what can
/// go wrong. docs/schedule.md is checked against both tables by a test.
#pragma once

#include "entity/catalogue.hpp"

namespace starbus::entity {

// X(constant, value, unit, reason, when reached)
#define STARBUS_TICK_LIMITS(X)                                                                  \
  X(kMaxTickFunctions, 4'096, "functions",                                                      \
    "systems tick, entities have timers: more is a loop that adds without end",                 \
    "too_many_functions")                                                                       \
  X(kMaxPrerequisites, 64, "functions", "that one waits for: people must be able to follow it", \
    "too_many_prerequisites")                                                                   \
  X(kMaxTickName, 64, "bytes", "of a function: it stands in reports", "bad_name")               \
  X(kMaxTickInterval, 24, "hours", "what is rarer is a timer", "bad_interval")

#define X(constant, value, unit, reason, reached) inline constexpr std::uint64_t constant = value;
STARBUS_TICK_LIMITS(X)
#undef X

std::span<const LimitInfo> tick_limits();

// X(code, meaning)
#define STARBUS_TICK_ERRORS(X)                                                      \
  X(no_callback, "the function is empty")                                           \
  X(bad_name, "the name is empty or too long")                                      \
  X(bad_interval, "the interval or the first delay is negative or too long")        \
  X(too_many_functions, "the schedule has as many functions as it may")             \
  X(too_many_prerequisites, "the function waits for as many others as it may")      \
  X(unknown, "there is no such function, or not any more")                          \
  X(cycle, "the function would wait for itself: the detail has the way; not taken") \
  X(nested, "a tick runs: one cannot begin within it")

enum class TickErrc : std::uint8_t {
  ok = 0,
#define X(code, meaning) code,
  STARBUS_TICK_ERRORS(X)
#undef X
};

std::span<const ErrorInfo<TickErrc>> tick_errors();

/// "cycle"; "ok" for ok.
std::string_view name_of(TickErrc code);

using TickError = CodedError<TickErrc>;

/// What reading the value of a failed result throws.
using BadTickResult = BadCode<TickErrc>;

template <class T = void>
using TickResult = boost::system::result<T, TickError>;

}  // namespace starbus::entity
