/// The one test of what is in range. Every backend and every SIMD path computes exactly this, in
/// float and without fused multiplication, so that all of them agree to the last bit. Pure
/// functions.
#pragma once

#include <cmath>

#include "aoi/types.hpp"

namespace starbus::aoi {

/// The square of the distance, or the larger leg; compared with limit_of() of the same metric.
inline float measure(Metric metric, float dx, float dy) {
  if (metric == Metric::circle) return dx * dx + dy * dy;
  const float x = std::fabs(dx);
  const float y = std::fabs(dy);
  return x > y ? x : y;
}

/// The limit of `measure` for a radius: in range up to it.
inline float limit_of(Metric metric, float radius) {
  return metric == Metric::circle ? radius * radius : radius;
}

/// In float, without fused multiplication.
inline float distance_squared(float dx, float dy) {
  return dx * dx + dy * dy;
}

}  // namespace starbus::aoi
