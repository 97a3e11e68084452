/// Every bound of players who travel between spaces, with its reason and with what happens when it
/// is reached.
#pragma once

#include <cstdint>

#include "base/limits.hpp"

namespace starbus::nodes::space {

// X(constant, value, unit, reason, when reached, hit by)
#define STARBUS_SPACE_TRAVEL_LIMITS(X)                                                             \
  X(kTravelPatience, 15s,                                                                          \
    "that a travel waits for its seat, unless told: a player sees a picture",                      \
    "too_late, or the reason why there was no seat; the player stays where it is",                 \
    "TravelTest.ATravelWithoutAServiceEndsWithItsPatience")                                        \
  X(kMaxTravels, 1'024, "travels",                                                                 \
    "of a process at once: each asks the service, or copies a "                                    \
    "player's state",                                                                              \
    "would_block; the player stays where it is", "TravelTest.TravelsBeyondTheLimitAreRefused")     \
  X(kMaxLeftOver, 16'384, "players",                                                               \
    "of spaces that have ended who wait until fewer than kMaxTravels travel",                      \
    "would_block, which their hooks are told; they stay in no space",                              \
    "TravelTest.PlayersOfASpaceThatEndsTravelInTurn")                                              \
  X(kEvacuateTime, 10s,                                                                            \
    "for which a node that drains sends its players to other nodes; at most "                      \
    "half of its drain_deadline",                                                                  \
    "those who are left end with their spaces, and the log names them",                            \
    "EvacuationTest.WhoCannotBeMovedIsNamedAndEndsAsBefore")                                       \
  X(kEvacuateAsk, 4s, "that such a player waits for a seat in one place: a line begins meanwhile", \
    "the next place is tried", "EvacuationTest.TheNextPlaceIsTriedWhenThereIsNoSeat")              \
  X(kEvacuateEvery, 50ms, "between two looks for players who are to leave a node that drains",     \
    "it looks", "EvacuationTest.EverybodyIsMovedInSlices")                                         \
  X(kEvacuateAtOnce, 64, "players",                                                                \
    "that leave a node that drains at once, as their states queue, and that one look asks "        \
    "WhereTo "                                                                                     \
    "for",                                                                                         \
    "the next ones begin as these have left", "EvacuationTest.EverybodyIsMovedInSlices")           \
  X(kEvacuateReport, 1s, "between two lines of the log on the progress of such a drain",           \
    "the next line", "EvacuationTest.EverybodyIsMovedInSlices")                                    \
  X(kNamedLeft, 20, "players", "who could not leave, one a line of the log",                       \
    "the rest is counted", "EvacuationTest.WhoCannotBeMovedIsNamedAndEndsAsBefore")                \
  X(kMaxWays, 4, "places", "that are tried for one player: each may take kEvacuateAsk",            \
    "the others are not tried", "EvacuationTest.TheNextPlaceIsTriedWhenThereIsNoSeat")             \
  X(kShownTravels, 100, "travels", "in /spaces: people read them", "the rest is counted",          \
    "TravelTest.TravelsBeyondTheLimitAreRefused")

STARBUS_LIMITS_OF(kSpaceTravelLimits, STARBUS_SPACE_TRAVEL_LIMITS)

}  // namespace starbus::nodes::space
