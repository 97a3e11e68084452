/// All errors of sight. Numbers travel: never reuse one.
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "base/result.hpp"

namespace starbus::nodes::sight {

// X(code, number, retry, meaning, cure)
#define STARBUS_SIGHT_ERRORS(X)                                                                   \
  X(malformed, 1, never, "bytes that no writer of sight wrote", "discard them")                   \
  X(newer_format, 2, never, "a newer version wrote these bytes", "update the reader")             \
  X(too_large, 3, never, "a body, a text or the bytes within it are beyond their bound",          \
    "send less; the text says of what")                                                           \
  X(no_space, 4, never, "it is in no space whose sight knows it; nothing was done",               \
    "let it enter a space first")                                                                 \
  X(clients_own, 5, never, "a player's client moves it; nothing was done", "teleport it instead") \
  X(no_client_moves, 6, never, "no client moves it; nothing was done", "place it instead")

STARBUS_ERRORS(SightErrc, std::uint8_t, kSightErrors, 33, "sight", STARBUS_SIGHT_ERRORS)

using starbus::Error;
using starbus::name_of;
template <class T = void>
using SightResult = Result<T>;

}  // namespace starbus::nodes::sight
