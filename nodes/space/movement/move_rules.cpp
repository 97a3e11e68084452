#include "nodes/space/movement/move_rules.hpp"

namespace starbus::nodes::movement {
namespace {

bool is_speed(float speed) {
  return speed > 0 && speed <= static_cast<float>(kMaxSpeed);
}

}  // namespace

MoveResult<> check(const MoveRules& rules) {
  if (rules.modes.empty() || rules.modes.size() > kMaxModes) {
    return Error(MoveErrc::bad_option, "modes: give 1 to kMaxModes");
  }
  for (const ModeRules& mode : rules.modes) {
    if (!is_speed(mode.speed) || !is_speed(mode.climb) || !is_speed(mode.fall)) {
      return Error(MoveErrc::bad_option, "speed: give one above 0, at most kMaxSpeed");
    }
  }
  const Position& min = rules.min;
  const Position& max = rules.max;
  if (!check(min) || !check(max) || min.x > max.x || min.y > max.y || min.z > max.z) {
    return Error(MoveErrc::bad_option, "min, max: give corners within kMaxCoordinate, min first");
  }
  if (rules.jitter.count() < 1 || rules.jitter > kMostJitter) {
    return Error(MoveErrc::bad_option, "jitter: give 1 ms to kMostJitter");
  }
  return {};
}

}  // namespace starbus::nodes::movement
