/// Every bound of crowds and flocks, with its reason and with what happens when it is reached.
#pragma once

#include <cstdint>

#include "base/limits.hpp"

namespace starbus::nav::crowd {

// X(constant, value, unit, reason, when reached, hit by)
#define STARBUS_CROWD_LIMITS(X)                                                                    \
  X(kMaxWalkers, 65'536, "walkers", "of a crowd: 1.5 KB each", "too_many",                         \
    "CrowdLimits.RefusesMoreThanKMaxWalkers")                                                      \
  X(kMaxSearches, 16, "searches", "of a crowd, side by side: each has memory of its own",          \
    "too_large", "CrowdLimits.RefusesMoreSearchesThanKMaxSearches")                                \
  X(kMaxNeighbours, 16, "neighbours", "that a walker avoids: a half plane each", "too_large",      \
    "CrowdLimits.RefusesMoreNeighboursThanKMaxNeighbours")                                         \
  X(kMaxWalls, 8, "walls", "that a walker keeps off: the nearest; a half plane each",              \
    "the farther ones are left to move_along_surface", "CrowdLimits.KeepsTheKMaxWallsNearest")     \
  X(kMaxCorners, 32, "corners", "of a way that a walker keeps: a bit each says where links are",   \
    "the rest is searched before they end", "CrowdLimits.WalksWaysOfMoreThanKMaxCorners")          \
  X(kMaxPriority, 100, "steps", "of priority: a hundredth of the way aside is left", "too_large",  \
    "CrowdLimits.RefusesPrioritiesBeyondKMaxPriority")                                             \
  X(kMaxReportsPerWalker, 2, "reports",                                                            \
    "that are kept until they are taken: one of each walker "                                      \
    "for calls, one for steps",                                                                    \
    "too_many; a step keeps the end until there is room", "CrowdLimits.KeepsKMaxReportsPerWalker") \
  X(kMaxStep, 250, "ms", "of one step: a server that stood still does not throw its walkers",      \
    "counts as so much", "CrowdLimits.AStepIsAtMostKMaxStep")                                      \
  X(kMaxUnits, 65'536, "units", "of a flock: 60 bytes each", "too_many",                           \
    "FlockLimits.RefusesMoreThanKMaxUnits")                                                        \
  X(kMaxGroups, 1'024, "groups", "of a flock: a field each, or a shared one", "too_many",          \
    "FlockLimits.RefusesMoreThanKMaxGroups")                                                       \
  X(kMaxStray, 8, "cells", "around a unit where no field is, in which it looks for one",           \
    "the unit stands still and is counted as a stray", "FlockLimits.LooksKMaxStrayCellsAround")

STARBUS_LIMITS_OF32(kLimits, STARBUS_CROWD_LIMITS)

}  // namespace starbus::nav::crowd
