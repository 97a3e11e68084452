/// What players of a space may do: one value for all of them, which each MoveCheck refers to. A
/// plain value but for the game's hook; used by the loop of its space.
#pragma once

#include <chrono>
#include <functional>
#include <vector>

#include "nodes/space/movement/limits.hpp"
#include "nodes/space/movement/locomotion.hpp"

namespace starbus::nodes::movement {

/// The highest speeds of a mode, in m/s, above 0 and at most kMaxSpeed.
struct ModeRules {
  float speed = 5;  ///< along the ground
  float climb = 5;  ///< up
  float fall = 60;  ///< down
};

/// Whether a player may go straight from one place to another, and be there in that mode: the
/// game's own test of walls, doors and wings. Asked when place or mode change. What it throws comes
/// out of MoveCheck::take, and the report counts as looked at.
using MayGo = std::function<bool(const Position& from, const Position& to, std::uint8_t mode)>;

/// The rules of a space.
struct MoveRules {
  std::vector<ModeRules> modes{ModeRules{}};  ///< by mode; a mode beyond them is a violation
  Position min;                               ///< corners of the space, which belong to it
  Position max;
  /// How much of its time a player may save up: late reports that come in one bunch pass, and a
  /// cheater gains that much once.
  std::chrono::milliseconds jitter = kJitterAllowance;
  MayGo may_go = {};  ///< none: everywhere
};

/// bad_option with a text; ok for rules that a MoveCheck may have.
MoveResult<> check(const MoveRules& rules);

}  // namespace starbus::nodes::movement
