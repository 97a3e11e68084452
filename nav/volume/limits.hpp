/// Every bound of volumes, with its reason and with what happens when it is reached. Those of all
/// grounds are in nav/limits.hpp.
#pragma once

#include <cstdint>

#include "base/limits.hpp"

namespace starbus::nav::volume {

// X(constant, value, unit, reason, when reached, hit by)
#define STARBUS_NAV_VOLUME_LIMITS(X)                                                               \
  X(kMaxVoxelSide, 4'096, "voxels", "of a volume, along each axis: keys have 12 bits for it",      \
    "too_large", "VolumeLimits.RefusesSidesBeyondKMaxVoxelSide")                                   \
  X(kMaxColumns, 4'194'304, "columns",                                                             \
    "of a volume: 8 bytes each and 4 for each of their spans, twice", "too_large",                 \
    "VolumeLimits.RefusesMoreThanKMaxColumns")                                                     \
  X(kMaxSpans, 16'777'216, "spans", "of all columns: 64 MiB", "too_large",                         \
    "VolumeLimits.RefusesMoreThanKMaxSpans")                                                       \
  X(kMaxOctreeLeaves, 16'777'216, "leaves", "of a linear octree: 128 MiB", "too_large",            \
    "VolumeLimits.RefusesMoreThanKMaxOctreeLeaves")                                                \
  X(kMaxLeaves, 4'194'304, "leaves",                                                               \
    "of 4 x 4 x 4 voxels, for each kind of agent: some 23 bytes each, and 64 more where costs "    \
    "differ",                                                                                      \
    "too_large, and the change is undone", "VolumeLimits.UndoesChangesBeyondKMaxLeaves")           \
  X(kMaxAgentVoxels, 8, "voxels",                                                                  \
    "the radius of an agent: a change looks at so many voxels around it", "too_large",             \
    "VolumeLimits.RefusesAgentsWiderThanKMaxAgentVoxels")                                          \
  X(kMaxLabels, 2'097'152, "labels",                                                               \
    "of one search, at some 110 bytes: ways into a block of which none is worse", "too_many",      \
    "VolumeLimits.EndsSearchesBeyondKMaxLabels")                                                   \
  X(kMaxVoxelsAround, 64, "voxels",                                                                \
    "the radius in which random_point_near looks, which costs its cube", "too_large",              \
    "VolumeLimits.RefusesRadiiBeyondKMaxVoxelsAround")                                             \
  X(kMaxCorners, 12'582'912, "points", "of one soup of triangles: 4 million of them", "too_large", \
    "VolumeLimits.RefusesMoreThanKMaxCorners")

STARBUS_LIMITS_OF32(kLimits, STARBUS_NAV_VOLUME_LIMITS)

}  // namespace starbus::nav::volume
