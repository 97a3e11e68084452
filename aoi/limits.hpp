/// Every bound of a world, with its reason and with what happens when it is reached.
#pragma once

#include <cstdint>

#include "base/limits.hpp"

namespace starbus::aoi {

// X(constant, value, unit, reason, when reached[, hit by])
#define STARBUS_AOI_LIMITS(X)                                                                      \
  X(kMaxEntities, 1'048'575, "entities",                                                           \
    "an id is 20 bits of index and 12 of generation; one world is one thread's work", "too_many")  \
  X(kMaxSensors, 1'048'575, "sensors", "as entities", "too_many")                                  \
  X(kMaxSensorsPerEntity, 16, "sensors", "they are walked whenever their entity moves far",        \
    "too_many", "Bounds.RefusesMoreSensorsThanKMaxSensorsPerEntity")                               \
  X(kMaxCoordinate, 1'048'576, "m",                                                                \
    "beyond it neighbouring float values lie more than 6 cm apart",                                \
    "the coordinate is clamped to it")                                                             \
  X(kMaxRadius, 65'536, "m", "radius and leave margin together; larger is the whole world",        \
    "too_large")                                                                                   \
  X(kMaxCells, 1'048'576, "cells",                                                                 \
    "a uniform grid keeps some 70 bytes for each, used or not, and 170 where cells are "           \
    "fewer than the entities expected",                                                            \
    "too_large: use the hashed grid")                                                              \
  X(kMaxLayers, 16, "layers", "cells double in size from one to the next: up to kMaxRadius",       \
    "cannot be reached")                                                                           \
  X(kMaxFilters, 255, "filters", "that differ and are in use at once; each costs a bit per place", \
    "too_many", "Bounds.RefusesMoreFiltersThanKMaxFilters")                                        \
  X(kMaxForced, 4'096, "entities", "forced for one sensor: teams, not crowds", "too_many",         \
    "Bounds.RefusesMoreForcedTargetsThanKMaxForced")                                               \
  X(kMaxBeacons, 256, "entities", "visible to everybody: each costs every sensor an entry",        \
    "too_many", "Bounds.RefusesMoreBeaconsThanKMaxBeacons")                                        \
  X(kMaxLimit, 4'096, "targets", "kept by one limited sensor", "bad_option")                       \
  X(kMaxSpecial, 64, "entities",                                                                   \
    "in special relation to one, fewer than a mutual list holds: team mates, a spouse",            \
    "too_many", "Bounds.RefusesMoreSpecialsThanKMaxSpecial")                                       \
  X(kMaxWireIndex, 65'535, "indices", "per observer: 16 bits on the wire, 0 means none",           \
    "the event has index 0")                                                                       \
  X(kMaxEpoch, 4'000'000'000, "numberings", "per client: 32 bits on the wire", "too_many",         \
    "WireView.RefusesEpochsBeyondKMaxEpoch")                                                       \
  X(kMaxImportedEpoch, 2'000'000'000, "numberings",                                                \
    "of an imported observer: whatever another node wrote, its client can be numbered here as "    \
    "often again",                                                                                 \
    "too_many", "WireView.AnImportedEpochLeavesRoomForNumberings")                                 \
  X(kMaxChanges, 4'000'000'000, "pairs",                                                           \
    "that one update may have to test, so that what it finds is counted in 32 bits: 63,000 on "    \
    "one "                                                                                         \
    "point",                                                                                       \
    "too_many: the update is not done; remove some", "Schedule.RefusesMoreThanKMaxChanges")        \
  X(kMaxQuarantine, 65'535, "updates", "an index rests that long; half a day at 1 s",              \
    "bad_option")                                                                                  \
  X(kMaxPeriod, 256, "updates", "between two looks of a sensor", "bad_option")                     \
  X(kMaxStaleness, 256, "updates", "that a budget may put a sensor off", "bad_option")             \
  X(kMaxPolygon, 64, "corners", "each is tested for every candidate", "too_large")                 \
  X(kMaxStateEntries, 65'535, "targets", "in one exported observer: as wire indices", "corrupt")

STARBUS_LIMITS_OF32(kLimits, STARBUS_AOI_LIMITS)

}  // namespace starbus::aoi
