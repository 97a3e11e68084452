/// How a crowd goes about it. Plain values; the defaults suit people of 0.4 m who walk 1 to 6 m/s.
#pragma once

#include <cstdint>

#include "nav/path.hpp"

namespace starbus::nav::crowd {

/// What a crowd is made with. Bounds are those of nav/crowd/limits.hpp.
struct CrowdOptions {
  std::uint32_t walkers = 4'096;  ///< at most; 1..kMaxWalkers; memory is taken at once
  // Ways
  Algorithm algorithm = Algorithm::automatic;
  std::uint32_t searches = 4;             ///< under way at a time, 1..kMaxSearches
  std::uint32_t nodes_per_step = 4'096;   ///< expanded by all searches in one step, at least 1
  std::uint32_t nodes_per_turn = 256;     ///< and by one, before it is the next one's turn
  std::uint32_t nodes_per_way = 262'144;  ///< after as many, a way ends as near as it has come
  float snap = 4;  ///< m; a walker whose ground is gone goes to other ground so near
  // Avoidance
  float range = 6;                ///< m; others and walls farther away are not looked at
  std::uint32_t neighbours = 10;  ///< that are avoided, the nearest; 0..kMaxNeighbours
  float horizon = 2;              ///< s; so long ahead walkers avoid each other
  float wall_horizon = 0.5F;      ///< s; and walls
  // When it does not go on
  float stuck_distance = 0.5F;  ///< m; a walker that has not moved as far
  float stuck_time = 5;         ///< in so many s looks for another way, and then gives up
  float link_time = 1;          ///< s; a link takes at most so long
};

}  // namespace starbus::nav::crowd
