/// Where our coordinates become those of Recast and Detour, whose second axis is the height: y and
/// z change places. That turns the sense of triangles: theirs are given in the other order. Pure.
#pragma once

#include <array>
#include <cmath>

#include "nav/mesh/limits.hpp"
#include "nav/types.hpp"

namespace starbus::nav::mesh {

using Spot = std::array<float, 3>;  ///< x, height, y

/// For Recast and Detour.
inline Spot spot_of(const Point& point) {
  return {point.x, point.z, point.y};
}
/// Of three floats of theirs.
inline Point point_of(const float* spot) {
  return {spot[0], spot[2], spot[1]};
}
/// Whether the coordinates are numbers within kMaxCoordinate.
inline bool on_map(const Point& point) {
  constexpr float kFar = kMaxCoordinate;
  return std::fabs(point.x) <= kFar && std::fabs(point.y) <= kFar && std::fabs(point.z) <= kFar;
}
inline float distance(const float* a, const float* b) {
  const float x = a[0] - b[0];
  const float y = a[1] - b[1];
  const float z = a[2] - b[2];
  return std::sqrt(x * x + y * y + z * z);
}

}  // namespace starbus::nav::mesh
