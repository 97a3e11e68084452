/// All errors of what an entity says to its client.
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "base/result.hpp"

namespace starbus::entity::sessions {

// X(code, number, retry, meaning, cure)
#define STARBUS_SESSION_ERRORS(X)                                                                \
  X(no_client, 1, never, "no client plays this entity now; nothing was said",                    \
    "ask client() whether it is there")                                                          \
  X(too_large, 2, never, "the part is larger than kPartBytes; nothing was said",                 \
    "split it, or let the client ask for it piece by piece")                                     \
  X(too_slow, 3, never, "the client does not acknowledge what it gets; its session has ended",   \
    "say less: properties wait for credit, calls do not")                                        \
  X(frozen, 4, later, "the entity is packed for another process; nothing was said",              \
    "say it after the move: in a step, or a message to itself")                                  \
  X(too_many_groups, 5, never, "the client is in as many groups as it may be",                   \
    "let it leave one, or make one group of two")                                                \
  X(no_credit, 6, later, "the client has not acknowledged what it got before; nothing was said", \
    "say the newest state in a later tick")

STARBUS_ERRORS(SessionErrc, std::uint8_t, kSessionErrors, 18, "session", STARBUS_SESSION_ERRORS)

using starbus::name_of;

}  // namespace starbus::entity::sessions
