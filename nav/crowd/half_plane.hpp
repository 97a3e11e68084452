/// Half planes of velocities, and the best velocity among them: a program with a disc and at most
/// kMaxPlanes planes. Pure functions; nothing is allocated; any thread.
///
/// As in van den Berg, Guy, Lin, Manocha, "Reciprocal n-body collision avoidance", 2011, section 5:
/// planes are added one by one; a velocity that the next one forbids is replaced by the best on its
/// border. If they cannot all hold, the soft ones are broken as little as can be, all by the same
/// distance, and the hard ones hold.
#pragma once

#include <cstddef>
#include <span>

#include "nav/crowd/limits.hpp"
#include "nav/crowd/vec.hpp"

namespace starbus::nav::crowd {

/// Velocities v with dot(normal, v) >= least. The normal has the length 1.
struct HalfPlane {
  Vec normal;
  float least = 0;

  /// m/s that a velocity is short of it; 0 or below: it is within.
  constexpr float breach(Vec velocity) const { return least - dot(normal, velocity); }
};

/// What a program may have at most.
inline constexpr std::size_t kMaxPlanes = kMaxWalls + kMaxNeighbours;

/// What was found.
struct Solution {
  Vec velocity;
  bool feasible = true;  ///< all planes hold
};

/// The velocity nearest to `wish` of those that are at most `speed` long and within all planes, at
/// most kMaxPlanes; the first `hard` of them must allow standing still. If there is none: one that
/// is within the hard ones, and breaks the worst of the others the least.
Solution best_velocity(std::span<const HalfPlane> planes, std::size_t hard, Vec wish, float speed);

}  // namespace starbus::nav::crowd
