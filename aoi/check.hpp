/// Checks of what a caller passes to a world: positions and options. Pure functions.
#pragma once

#include <algorithm>
#include <cmath>

#include "aoi/error.hpp"
#include "aoi/limits.hpp"
#include "aoi/options.hpp"

namespace starbus::aoi {

/// Whether all coordinates are numbers and not infinite.
bool finite(const Position& at);
/// True if finite and nothing must be clamped, as for nearly all positions.
inline bool ordinary(Position at) {
  constexpr auto kMost = static_cast<float>(kMaxCoordinate);
  return std::fabs(at.x) <= kMost && std::fabs(at.y) <= kMost && std::fabs(at.z) <= kMost;
}
/// Clamps each coordinate to kMaxCoordinate.
inline Position clamped(Position at) {
  if (ordinary(at)) [[likely]]
    return at;
  constexpr auto kMost = static_cast<float>(kMaxCoordinate);
  return {std::clamp(at.x, -kMost, kMost), std::clamp(at.y, -kMost, kMost),
          std::clamp(at.z, -kMost, kMost)};
}

/// bad_option, too_large, bad_position.
Result<> check(const WorldOptions& options);
Result<> check(const EntityOptions& of);
Result<> check(const SensorOptions& of);
Result<> check_radius(float radius, float leave_margin);

}  // namespace starbus::aoi
