/// Every bound of running spaces, with its reason and with what happens when it is reached.
#pragma once

#include <cstdint>

#include "base/limits.hpp"

namespace starbus::nodes::space {

// X(constant, value, unit, reason, when reached, hit by)
#define STARBUS_SPACE_NODE_LIMITS(X)                                                              \
  X(kSpaceStart, 25s,                                                                             \
    "for a space to get its id and its name, and for its on_start: less than "                    \
    "kCreateWait of the service",                                                                 \
    "start_failed to the service; the space is given up", "SpaceLifeTest.AHangingStartIsGivenUp") \
  X(kSpaceEnd, 10s, "for on_end of a space: less than the deadline of a node's drain",            \
    "the space ends without; logged, and counted", "SpaceLifeTest.AHangingEndIsGivenUp")          \
  X(kDrainWarning, 3s, "from the warning of a node's drain to the end of a space with players",   \
    "it ends with whoever is there", "SpaceDrainTest.WarnsAndEndsAllAndThenLeavesTheGroup")       \
  X(kAnnounceEvery, 1s, "between two announcements: the service counts on it (kNodeSilent)",      \
    "the next one", "SpaceHostTest.ANodeAnnouncesItselfAfterAHelloAndThenByItself")               \
  X(kSeatsEvery, 100ms, "between two looks at held seats and countdowns",                         \
    "they end so much later", "SpaceHostTest.AnUnusedTicketFreesItsSeat")                         \
  X(kLeavePerTurn, 64, "members", "that leave an ending space in one turn of the loop",           \
    "the rest follows in the next turn", "SpaceLifeTest.ManyMembersLeaveInSlices")                \
  X(kTickWindow, 10s, "over which the figures of ticks are taken: a short hitch shows",           \
    "the next window begins", "TickFiguresTest.ShowTheLatestWholeWindow")                         \
  X(kLongestTick, 67s, "that a histogram of ticks tells apart from longer ones",                  \
    "longer ones count as this", "TickFiguresTest.PercentilesAreAtMostAnEighthAbove")             \
  X(kShownMembers, 500, "members",                                                                \
    "of a space on a page for operators: it takes the loop about a millisecond",                  \
    "the page says after whom the next one begins", "SpaceAppTest.MembersAreShownInPages")        \
  X(kStartText, 255, "bytes", "why a space could not start: it travels to those who wait",        \
    "the text is cut", "SpaceOrdersTest.AFailedStartIsToldWithItsTextAndFreesTheName")

STARBUS_LIMITS_OF(kSpaceNodeLimits, STARBUS_SPACE_NODE_LIMITS)

}  // namespace starbus::nodes::space
