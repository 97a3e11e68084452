/// All errors of movement. Numbers travel: never reuse one.
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "base/result.hpp"

namespace starbus::nodes::movement {

// X(code, number, retry, meaning, cure)
#define STARBUS_MOVEMENT_ERRORS(X)                                                                 \
  X(not_finite, 1, never, "a coordinate, an angle or a velocity is not a number, or infinite",     \
    "check the code that computes it")                                                             \
  X(too_far, 2, never, "a coordinate lies beyond kMaxCoordinate, or a velocity beyond kMaxSpeed",  \
    "stay within them")                                                                            \
  X(outside, 3, never, "the place lies outside the bounds of the space; nothing was done",         \
    "choose a place within them")                                                                  \
  X(bad_option, 4, never, "an option is negative, not a number, or contradicts another",           \
    "correct it; the text says which")                                                             \
  X(unknown_mover, 5, never, "no mover has that index; nothing was done", "forget the index")      \
  X(mover_exists, 6, never, "a mover has that index already; nothing was done", "remove it first") \
  X(busy, 7, never, "the schedule was changed from within its own tick; nothing was done",         \
    "change it after the tick")                                                                    \
  X(malformed, 8, never, "bytes that no encoder of moves wrote", "discard them")                   \
  X(newer_format, 9, never, "a newer version wrote these bytes", "update the reader")              \
  X(too_large, 10, never, "a batch of moves is larger than kMaxMoveBatch", "send several")

STARBUS_ERRORS(MoveErrc, std::uint8_t, kMovementErrors, 31, "movement", STARBUS_MOVEMENT_ERRORS)

using starbus::Error;
using starbus::name_of;
template <class T = void>
using MoveResult = Result<T>;

}  // namespace starbus::nodes::movement
