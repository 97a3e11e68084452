/// Crowds and flocks, and DetourCrowd with as many agents, which do the same: the same places, the
/// same goals, the same steps of 0.1 s. Times are processor times of this thread.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace starbus::bench::nav {

/// Where walkers begin, and where they go: x, y in m, on flat ground of `side` m a side.
struct Errands {
  struct Errand {
    float x, y, to_x, to_y;
  };
  float side = 0;
  std::vector<Errand> all;
};

/// In one place: a block, 1.5 m apart, each to the place across its middle.
Errands packed(std::uint32_t walkers);
/// All over the ground, each to a place far away.
Errands spread(std::uint32_t walkers, float side);

/// Mean time of a step, in ms, after some that are not measured.
double crowd_step(const Errands& errands, int steps);
/// Whether this program was built with DetourCrowd.
bool has_detour();
/// The same with DetourCrowd, if there is one.
double detour_step(const Errands& errands, int steps);
/// ns by unit and step: a flock that follows one field around walls.
double flock_unit(std::uint32_t units, int steps);

}  // namespace starbus::bench::nav
