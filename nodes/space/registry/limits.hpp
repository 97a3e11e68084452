/// Every bound of the registry of spaces, with its reason and with what happens when it is reached.
#pragma once

#include <cstdint>

#include "base/limits.hpp"

namespace starbus::nodes::space {

// X(constant, value, unit, reason, when reached, hit by)
#define STARBUS_SPACE_REGISTRY_LIMITS(X)                                                         \
  X(kMaxSpaces, 16'384, "spaces", "of the cluster: each is looked at again and again",           \
    "would_block to those who need a further one", "RegistryBounds.SpacesAreBounded")            \
  X(kPlacesAtOnce, 1'024, "places", "that are looked at in one step: news of nodes wait for it", \
    "the others in the next step", "RegistryBounds.ManyPlacesAreLookedAtInSeveralSteps")         \
  X(kMaxSpaceNodes, 1'024, "nodes", "that run spaces: each announces itself once a second",      \
    "further ones get none until others have gone", "RegistryBounds.NodesAreBounded")            \
  X(kMaxWaiters, 10'000, "requests", "that wait for seats: each is looked at once a tick",       \
    "would_block", "RegistryBounds.WaitersAreBounded")                                           \
  X(kMaxNodeLabels, 64, "labels", "that a node announces", "the announcement is ignored",        \
    "NewsCheck.CountsBeyondTheirLimitsAreRefused")                                               \
  X(kNewsPerSecond, 32, "announcements", "of one node a second: it has news ten times",          \
    "further ones are ignored; the next second's has all",                                       \
    "RegistryNews.AnnouncementsBeyondTheRateAreIgnored")                                         \
  X(kEndsPerSecond, 64, "orders", "to a node, to end spaces that are not to be: few are",        \
    "the others are ordered after a further announcement",                                       \
    "RegistryNews.ANodeThatInventsSpacesCostsFewOrders")                                         \
  X(kMaxReason, 200, "bytes", "of a node's text on a failure: it goes to all who wait",          \
    "it is cut", "RegistryNews.ALongReasonOfANodeIsCut")                                         \
  X(kMaxTeam, 100, "seats", "of one request: they are held in one order", "bad_request",         \
    "RegistryEntry.RequestsThatCanNeverBeMetAreRefused")                                         \
  X(kMaxSetup, 4'096, "bytes", "that a request gives to a new space", "bad_request",             \
    "RegistryEntry.RequestsThatCanNeverBeMetAreRefused")                                         \
  X(kCrowd, 256, "requests", "that wait for a place: an answer of its node looks at all",        \
    "who waits is looked at in the next step, not at once",                                      \
    "RegistryBounds.ACrowdThatWaitsIsLookedAtOnceAStep")                                         \
  X(kLongestPatience, 60s, "of a request: a player looks at a picture meanwhile",                \
    "a longer one is shortened", "RegistryEntry.EachWaiterIsToldByItsDeadline")                  \
  X(kTicketHold, 30s, "that a seat is held for who has been let in: as the move of an entity",   \
    "the seat is given up", "HostedSpacesTest.HeldSeatsExpire")                                  \
  X(kReserveWait, 2s, "for a node's answer to a reservation", "another line is tried",           \
    "RegistryEntry.ASilentNodeIsLeftForAnother")                                                 \
  X(kEnterTries, 4, "lines", "that are tried for a request", "the error of the last one",        \
    "RegistryEntry.RefusedSeatsAreTriedElsewhereAFewTimes")                                      \
  X(kCreateWait, 30s, "for a space to start: it loads its map",                                  \
    "it counts as failed, and is ended", "RegistryLines.ASpaceThatDoesNotStartIsGivenUp")        \
  X(kCreateTries, 3, "failures in a row",                                                        \
    "of spaces of a place, after which those who wait are told",                                 \
    "create_failed; the place is tried again after a pause",                                     \
    "RegistryLines.RepeatedFailuresAreToldAndPause")                                             \
  X(kCreatePause, 1s, "after a failed creation", "doubles with each further one",                \
    "RegistryLines.RepeatedFailuresAreToldAndPause")                                             \
  X(kLongestPause, 60s, "of these pauses", "stays there",                                        \
    "RegistryLines.RepeatedFailuresAreToldAndPause")                                             \
  X(kAvoidNode, 10s, "a node on which a space of a place has failed", "it may have one again",   \
    "RegistryLines.WhereItFailedIsAvoided")                                                      \
  X(kCreatesPerNode, 4, "spaces", "that start on a node at once: their maps compete",            \
    "the next ones wait", "RegistryBounds.FewSpacesStartOnANodeAtOnce")                          \
  X(kOrderAgain, 5s, "until an order to create or to close that was not answered is repeated",   \
    "it is repeated", "RegistryLines.UnansweredOrdersAreRepeated")                               \
  X(kHelloAgain, 1s, "until a node that has not announced itself is asked again",                \
    "it is asked again", "RegistryRebuild.ASilentNodeIsAskedAgainAndGivenUpOn")                  \
  X(kRebuildWait, 5s, "for the announcements of the nodes there are when a service begins",      \
    "it goes on; names of silent nodes stay taken",                                              \
    "RegistryRebuild.ASilentNodeIsAskedAgainAndGivenUpOn")                                       \
  X(kNodeSilent, 3s, "without an announcement, after which a node gets no further spaces",       \
    "it may have some again after its next one", "NodeBookTest.ASilentNodeIsNotChosen")          \
  X(kSettle, 3s, "for which a space that has started counts its weight: until reports show it",  \
    "its load counts alone", "NodeBookTest.PendingWeightSpreadsWhatIsCreatedAtOnce")             \
  X(kNodeFull, 800, "ms per second", "of a node's loop: its ticks come late above",              \
    "it gets no space until it is down to kNodeOpen",                                            \
    "NodeBookTest.AFullNodeOpensAgainWhenItIsWellBelow")                                         \
  X(kNodeOpen, 650, "ms per second", "below which a node that was full may have spaces again",   \
    "it may have some again", "NodeBookTest.AFullNodeOpensAgainWhenItIsWellBelow")

STARBUS_LIMITS_OF(kSpaceRegistryLimits, STARBUS_SPACE_REGISTRY_LIMITS)

}  // namespace starbus::nodes::space
