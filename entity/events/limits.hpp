/// Every bound of events, with its reason and with what happens when it is reached.
#pragma once

#include "base/limits.hpp"
#include "entity/events/error.hpp"

namespace starbus::entity {

// X(constant, value, unit, reason, when reached[, hit by])
#define STARBUS_EVENT_LIMITS(X)                                                        \
  X(kMaxDispatchDepth, 16, "rounds",                                                   \
    "listeners that answer each other without end must not end the stack", "too_deep", \
    "DispatcherTest.RoundsNestToALimit")                                               \
  X(kMaxListeners, 65'536, "listeners", "per event: each costs every round a call",    \
    "too_many_listeners", "DispatcherTest.RefusesTooManyAndEmptyListeners")            \
  X(kMaxEventKeys, 4'096, "keys", "that were ever listened to: they keep their place", \
    "too_many_keys", "KeyedDispatcherTest.HasALimitOfKeys")                            \
  X(kMaxSeenPlaces, 16, "places",                                                      \
    "that a listener of boards has left and knows its number of: cells that are "      \
    "behind catch up soon",                                                            \
    "the one that it left first is forgotten",                                         \
    "SeenNumbersTest.TheOneThatWasNotedFirstIsForgotten")

STARBUS_LIMITS_OF(kEventLimits, STARBUS_EVENT_LIMITS)

}  // namespace starbus::entity
