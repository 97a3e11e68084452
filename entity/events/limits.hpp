/// Every bound of events, with its reason and with what happens when it is reached; and what can go
/// wrong. docs/events.md is checked against both tables by a test.
#pragma once

#include "entity/catalogue.hpp"

namespace starbus::entity {

// X(constant, value, unit, reason, when reached)
#define STARBUS_EVENT_LIMITS(X)                                                        \
  X(kMaxDispatchDepth, 16, "rounds",                                                   \
    "listeners that answer each other without end must not end the stack", "too_deep") \
  X(kMaxListeners, 65'536, "listeners", "of one event: each costs every round a call", \
    "too_many_listeners")                                                              \
  X(kMaxEventKeys, 4'096, "keys", "that were ever listened to: they keep their place", \
    "too_many_keys")                                                                   \
  X(kMaxSeenPlaces, 16, "places",                                                      \
    "that a listener of boards has left and knows its number of: cells that are "      \
    "behind catch up soon",                                                            \
    "the one that it left first is forgotten")

#define X(constant, value, unit, reason, reached) inline constexpr std::uint64_t constant = value;
STARBUS_EVENT_LIMITS(X)
#undef X

std::span<const LimitInfo> event_limits();

// X(code, meaning)
#define STARBUS_EVENT_ERRORS(X)                                                        \
  X(too_deep, "rounds are nested as deep as they may; nobody was called")              \
  X(too_many_listeners, "the dispatcher, or the key, has as many listeners as it may") \
  X(too_many_keys, "the dispatcher has as many keys as it may")                        \
  X(no_callback, "the listener is empty")                                              \
  X(already_announced, "the board has had this number, or a later one; nobody was told")

enum class EventErrc : std::uint8_t {
  ok = 0,
#define X(code, meaning) code,
  STARBUS_EVENT_ERRORS(X)
#undef X
};

std::span<const ErrorInfo<EventErrc>> event_errors();

/// "too_deep"; "ok" for ok.
std::string_view name_of(EventErrc code);

/// What reading the value of a failed result throws.
using BadEventResult = BadCode<EventErrc>;

template <class T = void>
using EventResult = boost::system::result<T, EventErrc>;

}  // namespace starbus::entity
