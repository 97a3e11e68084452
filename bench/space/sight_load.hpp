/// What a tick of sight costs a space, and its clients in bytes: all walk, and all watch.
#pragma once

#include <cstddef>

#include "bench/harness/figures.hpp"

namespace starbus::bench::space {

struct Load {
  std::size_t walkers = 0;
  float side = 0;             ///< m: of the square in which they walk
  float radius = 30;          ///< m
  std::size_t most_seen = 0;  ///< the nearest; 0: as given
  int ticks = 100;            ///< of 10 in a second
};

/// Milliseconds of a tick, and of its parts: "p50", "p99", "aoi" (mean), "views" (mean); "bytes"
/// per mover and update; "seen" per walker; "client" bytes per second of each client.
Metrics run(const Load& load);

}  // namespace starbus::bench::space
