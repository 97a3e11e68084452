/// Pairs of a sensor and a target that it sees or saw, and how many of them are sorted. Plain
/// values.
#pragma once

#include <vector>

#include "aoi/scene.hpp"

namespace starbus::aoi {

/// One sensor and one target.
struct Pair {
  SensorIndex sensor = kNone;
  EntityIndex target = kNone;
};

/// Sorts by sensor. `scratch` keeps its memory between calls.
void group_by_sensor(std::vector<Pair>& pairs, std::vector<Pair>& scratch);

}  // namespace starbus::aoi
