/// What bench_nav measures. Times are processor times of this thread, which other work on the
/// machine lengthens less than times of a wall clock.
#pragma once

#include "bench/nav/maps.hpp"
#include "nav/path.hpp"

namespace starbus::bench::nav {

struct Costs {
  double query = 0;     ///< us, of a search with its path, in the mean
  double rate = 0;      ///< millions of nodes expanded per second
  double expanded = 0;  ///< nodes, by query
};

/// All pairs of a map, one after the other, so many times.
Costs search(const Map& map, starbus::nav::Algorithm algorithm, int rounds);
/// The rate of a binary heap that holds as many entries as the open list of A* does in the mean,
/// and does nothing but pop one and push one.
Costs heap(const Map& map, int rounds);
/// ns, by question for a goal that cannot be reached.
double unreachable(const Map& map, int rounds);
/// ms, of a flow field over the whole map.
double flow_field(const Map& map, int rounds);
/// us, of a door of one cell that closes or opens, in the mean.
double door(int rounds);

}  // namespace starbus::bench::nav
