/// What can go wrong with timers, as values. The result type is boost::system::result, as
/// elsewhere.
#pragma once

#include "entity/catalogue.hpp"

namespace starbus::entity {

// X(code, meaning); docs/timers.md is checked against it by a test
#define STARBUS_TIMER_ERRORS(X)                                                      \
  X(too_many_timers, "the wheel, or the set of named timers, is full")               \
  X(too_far, "a delay or an interval is longer than `kMaxDelay`")                    \
  X(bad_interval, "the interval of a repeating timer is shorter than a millisecond") \
  X(bad_name, "the name of a timer is empty or too long")                            \
  X(too_large, "the arguments of a timer are too long")                              \
  X(bad_bytes, "what is imported is no export, or breaks a limit")                   \
  X(not_empty, "the set that is to import has, or had, timers of its own")           \
  X(closed, "the wheel is being destroyed")

enum class TimerErrc : std::uint8_t {
  ok = 0,
#define X(code, meaning) code,
  STARBUS_TIMER_ERRORS(X)
#undef X
};

/// The whole table, in its order.
std::span<const ErrorInfo<TimerErrc>> timer_errors();

/// "too_far"; "ok" for ok.
std::string_view name_of(TimerErrc code);

/// What reading the value of a failed result throws.
using BadTimerResult = BadCode<TimerErrc>;

template <class T = void>
using TimerResult = boost::system::result<T, TimerErrc>;

}  // namespace starbus::entity
