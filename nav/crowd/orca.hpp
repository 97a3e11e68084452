/// Optimal reciprocal collision avoidance: which velocities one disc may take so that it meets
/// neither another disc nor a wall for some seconds. Written from van den Berg, Guy, Lin, Manocha,
/// "Reciprocal n-body collision avoidance", 2011, section 4. Pure functions; any thread.
#pragma once

#include <optional>

#include "nav/crowd/half_plane.hpp"

namespace starbus::nav::crowd {

/// A walker as others see it.
struct Disc {
  Vec at;        ///< m
  Vec velocity;  ///< m/s
  float radius = 0;
};

/// What `self` may do so that the two do not touch within `horizon` seconds, if the other does the
/// rest of it. `share`: how much of the change `self` makes, 0..1. Two that overlap already are
/// apart after `step` seconds. `apart`: where `self` goes from one that stands in the same place; a
/// unit vector, opposite for the two.
HalfPlane avoid(const Disc& self, const Disc& other, float share, float horizon, float step,
                Vec apart);

/// What a point may do so that it does not meet a wall within `horizon` seconds; all of the change
/// is its own, and it may always stand still. The wall may be touched from the left of the way from
/// `from` to `to`, both relative to the point; nullopt if the point is not there, or cannot meet
/// it.
std::optional<HalfPlane> keep_off(Vec velocity, Vec from, Vec to, float horizon);

}  // namespace starbus::nav::crowd
