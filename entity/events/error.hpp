/// All errors of events.
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "base/result.hpp"

namespace starbus::entity {

// X(code, number, retry, meaning, cure)
#define STARBUS_EVENT_ERRORS(X)                                                                  \
  X(too_deep, 1, never, "rounds are nested as deep as they may; no listener was called",         \
    "look for listeners that answer each other")                                                 \
  X(too_many_listeners, 2, later, "the dispatcher, or the key, has as many listeners as it may", \
    "end subscriptions that are not needed")                                                     \
  X(too_many_keys, 3, later, "the dispatcher has as many keys as it may", "use fewer keys")      \
  X(no_callback, 4, never, "the listener is empty", "pass a function")                           \
  X(already_announced, 5, never,                                                                 \
    "the board has had this number, or a later one; no listener was called",                     \
    "none: the change is known")

STARBUS_ERRORS(EventErrc, std::uint8_t, kEventErrors, 16, "event", STARBUS_EVENT_ERRORS)

using starbus::name_of;
using BadEventResult = BadResult;
template <class T = void>
using EventResult = Result<T>;

}  // namespace starbus::entity
