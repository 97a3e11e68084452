#include "nodes/space/movement/locomotion.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "aoi/limits.hpp"
#include "nodes/space/movement/limits.hpp"

namespace starbus::nodes::movement {
namespace {

MoveResult<> check_within(std::initializer_list<float> values, double most, const char* what) {
  for (const float value : values) {
    if (!std::isfinite(value)) return Error(MoveErrc::not_finite, what);
    if (std::abs(static_cast<double>(value)) > most) return Error(MoveErrc::too_far, what);
  }
  return {};
}

}  // namespace

MoveResult<> check(const Position& place) {
  return check_within({place.x, place.y, place.z}, aoi::kMaxCoordinate, "position");
}

MoveResult<> check(const Locomotion& move) {
  if (auto placed = check(move.position); !placed) return placed;
  const Velocity& v = move.velocity;
  if (auto fast = check_within({v.x, v.y, v.z}, static_cast<double>(kMaxSpeed), "velocity");
      !fast) {
    return fast;
  }
  if (!std::isfinite(move.heading)) return Error(MoveErrc::not_finite, "heading");
  if (!std::isfinite(move.pitch)) return Error(MoveErrc::not_finite, "pitch");
  return {};
}

double distance(const Position& a, const Position& b) {
  return std::hypot(static_cast<double>(a.x) - b.x, static_cast<double>(a.y) - b.y,
                    static_cast<double>(a.z) - b.z);
}

}  // namespace starbus::nodes::movement
