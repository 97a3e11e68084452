/// All errors of the tick.
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "base/result.hpp"

namespace starbus::entity {

// X(code, number, retry, meaning, cure)
#define STARBUS_TICK_ERRORS(X)                                                                \
  X(no_callback, 1, never, "the function is empty", "pass a function")                        \
  X(bad_name, 2, never, "the name is empty or too long", "correct the name")                  \
  X(bad_interval, 3, never, "the interval or the first delay is negative or too long",        \
    "correct the interval")                                                                   \
  X(too_many_functions, 4, later, "the schedule has as many functions as it may",             \
    "use one function for all entities of a kind")                                            \
  X(too_many_prerequisites, 5, never, "the function waits for as many others as it may",      \
    "wait for a later one of them")                                                           \
  X(unknown, 6, never, "there is no such function, or not any more", "forget the id")         \
  X(cycle, 7, never, "the function would wait for itself: the detail has the way; not taken", \
    "break the cycle")                                                                        \
  X(nested, 8, never, "a tick runs: one cannot begin within it", "post it to the loop")

STARBUS_ERRORS(TickErrc, std::uint8_t, kTickErrors, 17, "tick", STARBUS_TICK_ERRORS)

using starbus::name_of;
using BadTickResult = BadResult;
template <class T = void>
using TickResult = Result<T>;
using TickError = Error;

}  // namespace starbus::entity
