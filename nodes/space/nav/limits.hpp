/// Every bound of crowds of spaces, with its reason and with what happens when it is reached.
#pragma once

#include <cstdint>

#include "base/limits.hpp"

namespace starbus::nodes::crowds {

// X(constant, value, unit, reason, when reached, hit by)
#define STARBUS_SPACE_NAV_LIMITS(X)                                                              \
  X(kCrowdAgain, 200ms, "after a crowd was lost, until another one is asked for",                \
    "walkers stand meanwhile", "SpaceNavTest.ALostCrowdIsMadeAgainAndAskedAgain")                \
  X(kAddAgain, 1s, "until a walker that had no ground is shown to its crowd again",              \
    "it stands where it is", "SpaceNavTest.AWalkerWithoutGroundIsShownAgain")                    \
  X(kMaxHeld, 16, "requests for each walker",                                                    \
    "of batches that workers had no room for: what is asked in some seconds",                    \
    "the crowd counts as lost, and is made again",                                               \
    "SpaceNavTest.WhatWaitsTooLongForWorkersIsALostCrowd")                                       \
  X(kLook, 5s,                                                                                   \
    "after an operator has looked at a space, in which its crowd tells the ways of its walkers", \
    "they are not told any more", "NavObstacles.WaysAreToldWhileSomebodyLooks")

STARBUS_LIMITS_OF(kSpaceNavLimits, STARBUS_SPACE_NAV_LIMITS)

}  // namespace starbus::nodes::crowds
