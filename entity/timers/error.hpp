/// All errors of timers.
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "base/result.hpp"

namespace starbus::entity {

// X(code, number, retry, meaning, cure)
#define STARBUS_TIMER_ERRORS(X)                                                                    \
  X(too_many_timers, 1, later, "the wheel, or the set of named timers, is full",                   \
    "cancel some, or raise the wheel's size")                                                      \
  X(too_far, 2, never, "a delay or an interval is longer than `kMaxDelay`",                        \
    "keep the time in a document, and look at it daily")                                           \
  X(bad_interval, 3, never, "the interval of a repeating timer is shorter than a millisecond",     \
    "raise the interval")                                                                          \
  X(bad_name, 4, never, "the name of a timer is empty or too long", "correct the name")            \
  X(too_large, 5, never, "the arguments of a timer are too long", "keep large data in the entity") \
  X(bad_bytes, 6, never, "the imported bytes are not an export, or break a limit",                 \
    "run one build on both sides")                                                                 \
  X(not_empty, 7, never, "the set that is to import has, or had, timers of its own",               \
    "import into a new set")                                                                       \
  X(closed, 8, never, "the wheel is being destroyed", "do not add timers at the end of the process")

STARBUS_ERRORS(TimerErrc, std::uint8_t, kTimerErrors, 13, "timer", STARBUS_TIMER_ERRORS)

using starbus::name_of;
using BadTimerResult = BadResult;
template <class T = void>
using TimerResult = Result<T>;

}  // namespace starbus::entity
