/// Who sees or saw whom, as loose pairs, and how many of them are put in order. Plain values.
#pragma once

#include <vector>

#include "aoi/scene.hpp"

namespace starbus::aoi {

struct Pair {
  SensorIndex sensor = kNone;
  EntityIndex target = kNone;
};

/// Those of one sensor side by side, sensors in order. `scratch` keeps its memory between calls.
void group_by_sensor(std::vector<Pair>& pairs, std::vector<Pair>& scratch);

}  // namespace starbus::aoi
