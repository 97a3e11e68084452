/// Every bound of ways, with its reason and with what happens when it is reached.
#pragma once

#include <cstdint>

#include "base/limits.hpp"

namespace starbus::nav {

// X(constant, value, unit, reason, when reached, hit by)
#define STARBUS_NAV_LIMITS(X)                                                                      \
  X(kMaxSide, 16'384, "cells", "of a grid; a jump distance is 16 bits with a sign", "too_large",   \
    "GridLimits.RefusesSidesBeyondKMaxSide")                                                       \
  X(kMaxCells, 16'777'216, "cells",                                                                \
    "of a grid: 14 to 22 bytes for each kind of agent, and up to 20 for each search; 4,096 x "     \
    "4,096",                                                                                       \
    "too_large", "GridLimits.RefusesMoreThanKMaxCells")                                            \
  X(kMaxArea, 63, "areas", "as the navmesh that comes has 6 bits for them", "too_large",           \
    "GridLimits.RefusesAreasBeyondKMaxArea")                                                       \
  X(kMaxAreaCost, 100, "times",                                                                    \
    "what a metre costs: a dearer area is one to exclude; sums stay in 32 bits", "too_large",      \
    "GridLimits.RefusesCostsBeyondKMaxAreaCost")                                                   \
  X(kMaxPathCost, 4'000'000'000, "units", "of 1/408 of a cell's side: 32 bits", "too_far",         \
    "GridLimits.EndsPathsBeyondKMaxPathCost")                                                      \
  X(kMaxAgents, 16, "kinds of agents", "of a ground: each has tables of its own", "too_many",      \
    "GridLimits.RefusesMoreThanKMaxAgents")                                                        \
  X(kMaxAgentCells, 8, "cells",                                                                    \
    "of a grid, that an agent keeps from walls: a change looks at so many cells around it",        \
    "too_large", "GridLimits.RefusesAgentsWiderThanKMaxAgentCells")                                \
  X(kMaxObstacles, 4'096, "obstacles", "of a ground: a change looks at all of them", "too_many",   \
    "GridLimits.RefusesMoreThanKMaxObstacles")                                                     \
  X(kMaxLinks, 1'024, "links", "of a ground: a change looks at all of them", "too_many",           \
    "GridLimits.RefusesMoreThanKMaxLinks")                                                         \
  X(kMaxLinkCost, 6'684'672, "units",                                                              \
    "of a link: as much as the way along the longest side, kMaxSide", "too_large",                 \
    "GridLimits.RefusesLinksDearerThanKMaxLinkCost")                                               \
  X(kMaxGraphNodes, 4'194'304, "nodes", "of a graph: 12 bytes each while parts are found",         \
    "too_large", "GraphLimits.RefusesMoreThanKMaxGraphNodes")                                      \
  X(kMaxGraphEdges, 8'388'608, "edges", "of a graph: two for each node", "too_large",              \
    "GraphLimits.RefusesMoreThanKMaxGraphEdges")                                                   \
  X(kMaxReachParts, 4'096, "parts",                                                                \
    "of a graph whose reach is a table: a bit for each two of them is 2 MiB", "too_large",         \
    "GraphLimits.RefusesMoreThanKMaxReachParts")                                                   \
  X(kMaxWeight, 1'000, "percent", "of the estimate: a greater one is greedy search", "too_large",  \
    "GridLimits.RefusesWeightsBeyondKMaxWeight")                                                   \
  X(kMaxFieldGoals, 4'096, "goals", "of one flow field: a wide path, not a map", "too_many",       \
    "GridLimits.RefusesMoreThanKMaxFieldGoals")                                                    \
  X(kMaxAround, 256, "cells",                                                                      \
    "of a grid: the radius in which random_point_near looks, which costs its square", "too_large", \
    "GridLimits.RefusesRadiiBeyondKMaxAround")                                                     \
  X(kMaxMapBytes, 67'108'864, "bytes", "of a map's or a scenario's text", "too_large",             \
    "GridLimits.RefusesTextsBeyondKMaxMapBytes")                                                   \
  X(kMaxScenarios, 1'000'000, "rows", "of one file of scenarios; those published have thousands",  \
    "too_many", "GridLimits.RefusesMoreThanKMaxScenarios")

STARBUS_LIMITS_OF32(kLimits, STARBUS_NAV_LIMITS)

}  // namespace starbus::nav
