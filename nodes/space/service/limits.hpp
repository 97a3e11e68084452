/// Every bound of the service of spaces over the bus, and of those who call it, with its reason and
/// with what happens when it is reached.
#pragma once

#include <cstdint>

#include "base/limits.hpp"

namespace starbus::nodes::space {

// X(constant, value, unit, reason, when reached, hit by)
#define STARBUS_SPACE_SERVICE_LIMITS(X)                                                            \
  X(kSpaceStep, 100ms, "between two looks of the service at what is due", "it looks",              \
    "SpaceServiceTest.APlayerEntersATownThatDoesNotRunYet")                                        \
  X(kOrderDeadline, 5s, "for a node to take an order: longer than a stall of its loop",            \
    "its outcome is unknown; the node is asked what it has handled",                               \
    "SpaceServiceTest.SeatsOfALostReservationComeBackByAnAnnouncement")                            \
  X(kMaxOpenOrders, 16'384, "orders",                                                              \
    "on their way at once: one for each request that may wait, and others",                        \
    "undelivered: the order is given up, its seats are free",                                      \
    "OrderSenderTest.OrdersBeyondTheLimitAreRefusedAndTheOthersArrive")                            \
  X(kMaxOrdersOfNode, 12'288, "orders",                                                            \
    "of these, to one node: what stands still leaves room for the orders to others",               \
    "as kMaxOpenOrders", "OrderSenderTest.OneNodeLeavesRoomForTheOrdersOfOthers")                  \
  X(kMaxWaitersOfOne, 4'096, "requests",                                                           \
    "of one process that wait for seats: four times as many as travel there at once",              \
    "would_block", "SpaceServiceTest.OneProcessLeavesRoomForTheRequestsOfOthers")                  \
  X(kSpacesPage, 1'000, "spaces", "of one answer: it is built within one turn of the loop",        \
    "the rest comes with the next page", "SpaceServiceTest.ManySpacesAreListedInPages")            \
  X(kNewsPause, 10s, "between two lines of the log on malformed news of one node", "it is silent", \
    "SpaceServiceTest.MalformedNewsChangesNothing")                                                \
  X(kMaxSpaceFiles, 64, "files", "of types: each is read at a start and at a reload",              \
    "the configuration is refused", "SpacesSettingsTest.FilesAreBounded")                          \
  X(kEnterAgain, 50ms, "until a request is sent again that found no service",                      \
    "doubles with each further time", "SpaceCallsTest.ARequestWaitsUntilThereIsAService")          \
  X(kLongestEnterAgain, 1s, "of these pauses: a service starts within seconds", "stays there",     \
    "SpaceCallsTest.ARequestWaitsUntilThereIsAService")                                            \
  X(kEnterSlack, 1s, "that a caller waits beyond its patience: for the answer that says why",      \
    "too_late", "SpaceCallsTest.ARequestEndsWithItsPatienceIfThereIsNoService")                    \
  X(kMaxSpaceCalls, 10'000, "requests", "of one SpaceCalls: as many as may wait at the service",   \
    "would_block", "SpaceCallsTest.RequestsBeyondTheLimitAreRefused")

STARBUS_LIMITS_OF(kSpaceServiceLimits, STARBUS_SPACE_SERVICE_LIMITS)

}  // namespace starbus::nodes::space
