/// What can go wrong with timers, as values. The result type is boost::system::result, as
/// elsewhere.
#pragma once

#include <boost/system/result.hpp>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

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

struct TimerErrorInfo {
  TimerErrc code;
  std::string_view name;
  std::string_view meaning;
};

/// The whole table, in its order.
std::span<const TimerErrorInfo> timer_errors();

/// "too_far"; "ok" for ok.
std::string_view name_of(TimerErrc code);

/// Reading the value of a failed result is a programming error and throws this.
class BadTimerResult : public std::logic_error {
 public:
  explicit BadTimerResult(TimerErrc code) : std::logic_error(std::string(name_of(code))) {}
};
[[noreturn]] inline void throw_exception_from_error(TimerErrc code, const boost::source_location&) {
  throw BadTimerResult(code);
}

template <class T = void>
using TimerResult = boost::system::result<T, TimerErrc>;

}  // namespace starbus::entity
