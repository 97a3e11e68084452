/// Every bound of crowds in nodes, with its reason and with what happens when it is reached.
#pragma once

#include <cstdint>

#include "base/limits.hpp"

namespace starbus::nodes::crowds {

// X(constant, value, unit, reason, when reached, hit by)
#define STARBUS_CROWDS_LIMITS(X)                                                                  \
  X(kMaxCrowds, 1'024, "crowds", "of a process: as many as it has spaces, each with its walkers", \
    "too_many", "CrowdPoolTest.RefusesMoreThanKMaxCrowds")                                        \
  X(kMaxPoolWalkers, 65'536, "walkers", "of all crowds of a process together: 1.5 KB each",       \
    "too_many", "CrowdPoolTest.RefusesMoreThanKMaxPoolWalkers")                                   \
  X(kMaxMapName, 255, "bytes", "of a map's name, with its folders", "bad_request",                \
    "MapStoreTest.RefusesNamesThatLeaveItsFolder")                                                \
  X(kMaxMapFile, 268'435'456, "bytes", "of a map's file, which is read in one piece", "bad_map",  \
    "MapStoreTest.RefusesFilesBeyondKMaxMapFile")                                                 \
  X(kMaxKindName, 40, "bytes", "of a kind of walkers, which logs show", "the file is refused",    \
    "NavFile.EachBoundIsNamedWithItsKey")                                                         \
  X(kMaxWalkerKinds, 16, "kinds", "of walkers on a map: areas have 16 flags", "bad_request",      \
    "MapStoreTest.RefusesMoreThanKMaxWalkerKinds")                                                \
  X(kMaxBlocks, 256, "obstacles",                                                                 \
    "of a crowd: a change brings the tables of its map up to date before anybody walks on",       \
    "bad_request", "CrowdWorkTest.RefusesMoreObstaclesThanKMaxBlocks")                            \
  X(kMaxOwnMaps, 64, "crowds",                                                                    \
    "of a process with a map of their own, for obstacles: each takes the memory of a map",        \
    "too_many", "CrowdPoolTest.RefusesMoreThanKMaxOwnMaps")                                       \
  X(kMaxBatch, 262'144, "requests", "of one batch: four for each of kMaxPoolWalkers",             \
    "bad_request", "CrowdPoolTest.RefusesBatchesBeyondKMaxBatch")                                 \
  X(kMaxPassed, 250ms, "that a batch lets pass: after a stall walkers do not leap",               \
    "the rest is left out, and counted", "CrowdWorkTest.LetsAtMostKMaxPassedPass")                \
  X(kLongestStep, 100ms, "of a crowd's step: faster walkers would pass each other unseen",        \
    "the time of the batch is cut into equal steps", "CrowdWorkTest.CutsTimeIntoEqualSteps")      \
  X(kBatchBudget, 50ms, "of a worker's time for one batch: others wait for it",                   \
    "the steps that are left are left out, and counted",                                          \
    "CrowdWorkTest.LeavesStepsOutBeyondItsBudget")                                                \
  X(kMaxSnap, 100, "m", "around a point, in which its ground is looked for", "bad_request",       \
    "CrowdWorkTest.RefusesAReachBeyondKMaxSnap")                                                  \
  X(kCrowdIdle, 30s,                                                                              \
    "without a batch, after which a node of crowds removes one: as long as a "                    \
    "lease, so its space has gone",                                                               \
    "unknown_crowd", "CrowdPoolTest.RemovesWhatNobodyHasAskedForKCrowdIdle")                      \
  X(kCreateDeadline, 5s, "of making a crowd at a node: its map may have to be loaded",            \
    "deadline; the space asks again, or cannot start",                                            \
    "RemoteCrowdsTest.EndsWithADeadlineIfNoAnswerComes")                                          \
  X(kStepDeadline, 500ms, "of a batch at a node: a space asks again within a second",             \
    "deadline; the space makes another crowd",                                                    \
    "RemoteCrowdsTest.EndsWithADeadlineIfNoAnswerComes")

STARBUS_LIMITS_OF(kCrowdsLimits, STARBUS_CROWDS_LIMITS)

}  // namespace starbus::nodes::crowds
