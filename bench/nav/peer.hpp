/// The jump points of npm's `pathfinding`, over the same map and the same ways. A process of its
/// own that scripts/bench installs what it needs for.
#pragma once

#include <string>

#include "bench/harness/result.hpp"
#include "bench/nav/maps.hpp"

namespace starbus::bench::nav {

/// Where it is; fails with what to do if it is not installed.
Result<std::string> find_pathfinding();

struct PeerCosts {
  double query = 0;   ///< us of its main thread, by way
  double length = 0;  ///< cells, of a way in the mean
};
/// Each way once, after a few to warm up. A search takes a hundred milliseconds, and the copy of
/// the grid that it needs as many: for maps with few ways.
Result<PeerCosts> pathfinding(const Map& map);

}  // namespace starbus::bench::nav
