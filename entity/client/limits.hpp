/// Every bound of the sessions of clients, as the home of an entity keeps them, with its reason and
/// with what happens when it is reached.
#pragma once

#include "base/limits.hpp"
#include "entity/client/error.hpp"

namespace starbus::entity::sessions {

// X(constant, value, unit, reason, when reached)
#define STARBUS_SESSION_LIMITS(X)                                                                  \
  X(kPartBytes, 1_MiB, "bytes", "the body of one part: a full state of an entity", "too_large")    \
  X(kRequestBytes, 64_KiB, "bytes", "one request of a client, which is hostile",                   \
    "the word is malformed")                                                                       \
  X(kTicketBytes, 512, "bytes", "a signed ticket of a login", "the word is malformed",             \
    "SessionWords.ATicketIsBounded")                                                               \
  X(kRequestsOpen, 64, "requests",                                                                 \
    "of one client that have begun and are not answered: each may be a coroutine",                 \
    "the session ends as a fault: its gate holds back what is beyond")                             \
  X(kLinkGroups, 64, "groups", "of one client: a full state lists them", "too_many_groups")        \
  X(kGroupName, 64, "bytes", "the name of a group", "too_large")                                   \
  X(kOperatorName, 64, "bytes", "the name of an operator who announces", "the word is malformed",  \
    "Announcements.AreBounded")                                                                    \
  X(kFirstCredit, 64_KiB, "bytes",                                                                 \
    "that are sent to a client before its first credit: what a slow line takes in a second",       \
    "properties wait for credit, and are told at their newest")                                    \
  X(kMostCredit, 1_MiB, "bytes", "that a gate may allow: its window holds them",                   \
    "a larger word of credit counts as this")                                                      \
  X(kLinkBytes, 4_MiB, "bytes",                                                                    \
    "of one client that are unsent, or sent and not acknowledged: more than a full state",         \
    "the session ends as too_slow")                                                                \
  X(kLinkParts, 8'192, "parts", "likewise", "the session ends as too_slow")                        \
  X(kSoftParts, 4'096, "parts",                                                                    \
    "not acknowledged, beyond which properties and droppable updates wait: half of kLinkParts is " \
    "for calls",                                                                                   \
    "as kFirstCredit", "DownlinkTest.SmallUpdatesLeavePlaceForCalls")                              \
  X(kDroppableSlots, 1'024, "slots", "of one client with an update that waits: what it may see",   \
    "the update of the lowest priority that came last is dropped, and counted",                    \
    "DroppablesTest.AreBounded")                                                                   \
  X(kDroppableBytes, 64_KiB, "bytes", "of the updates that wait for one client: kFirstCredit",     \
    "likewise; one that is larger alone is too_large", "DroppablesTest.AreBounded")                \
  X(kSoftLead, 64_KiB, "bytes",                                                                    \
    "that properties may be ahead of droppable updates, or behind them, while both wait",          \
    "what is beyond is forgotten: neither waits for longer than this takes",                       \
    "DownlinkTest.PropertiesAndUpdatesShareWhatThereIs")                                           \
  X(kBundleBytes, 256_KiB, "bytes", "of bodies after which a message to a gate ends",              \
    "the rest goes in the next message")                                                           \
  X(kSectionBytes, 64_KiB, "bytes", "of one session in a message: others are not kept waiting",    \
    "as kBundleBytes")                                                                             \
  X(kBundleParts, 4'096, "parts", "in one message to a gate", "as kBundleBytes")                   \
  X(kBundleSections, 1'024, "sessions", "in one message to a gate", "as kBundleBytes")             \
  X(kFullsAtOnce, 16, "full states",                                                               \
    "under way to one gate: after a cut, thousands are due at the same time",                      \
    "the next one waits until one of these has been handled")                                      \
  X(kRelinkChain, 16, "passes", "that one relink shows: the hand-overs that a subject has missed", \
    "the word is malformed; the gate asks the account")                                            \
  X(kAwayTime, 90s, "that a client may be away before its entity is told so: a phone in a tunnel", \
    "the session ends as away")                                                                    \
  X(kGateSilent, 30s, "without a word of its gate, which asks a silent entity far more often",     \
    "a part without content is said: a gate that does not have the session tells so",              \
    "LinkTest.ASilentGateIsAsked")                                                                 \
  X(kAskAgain, 5s, "until an entity whose link is void asks its account again", "asked again")

STARBUS_LIMITS_OF(kSessionLimits, STARBUS_SESSION_LIMITS)

}  // namespace starbus::entity::sessions
