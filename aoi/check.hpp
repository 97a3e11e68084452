/// Whether what a world is told makes sense: positions and options. Pure functions.
#pragma once

#include "aoi/error.hpp"
#include "aoi/options.hpp"

namespace starbus::aoi {

bool finite(const Position& at);
/// As nearly all are: finite, and nothing to clamp.
bool ordinary(const Position& at);
/// Each coordinate at most kMaxCoordinate.
Position clamped(const Position& at);

/// bad_option, too_large, bad_position.
Result<> check(const WorldOptions& options);
Result<> check(const EntityOptions& of);
Result<> check(const SensorOptions& of);
Result<> check_radius(float radius, float leave_margin);

}  // namespace starbus::aoi
