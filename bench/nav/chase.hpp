/// Monsters that chase players over a navmesh: what that costs the loop that owns the space, and
/// what its workers do for it.
#pragma once

#include <cstdint>

namespace starbus::bench::nav {

/// Processor time of the loop's thread for a tick: what its crowd has answered is applied to the
/// walkers, and the next batch is made; and of a worker for a batch.
struct ChaseCosts {
  double tick_p50 = 0;  ///< us
  double tick_p99 = 0;  ///< us
  double moved = 0;     ///< walkers that a tick has placed, in the mean
  double batch = 0;     ///< ms of a worker for a batch, the median
};

/// On 200 m x 200 m of tiles with 64 houses, at ten ticks per second. Built without navmeshes it
/// throws.
ChaseCosts chase(std::uint32_t monsters, std::uint32_t players, int ticks);
bool has_chase();

}  // namespace starbus::bench::nav
