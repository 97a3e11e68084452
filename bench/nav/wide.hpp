/// Hierarchical searches over large maps: how long they take, how much longer their ways are than
/// the least, and what the clusters hold. Times are processor times of this thread.
#pragma once

#include <cstdint>

#include "bench/nav/maps.hpp"

namespace starbus::bench::nav {

struct WideCosts {
  double build = 0;     ///< ms, of all clusters
  double memory = 0;    ///< percent of the bytes of the grid: its areas, and the layer's tables
  double median = 0;    ///< ms, of a search with its cells
  double p99 = 0;       ///< ms
  double expanded = 0;  ///< cells and entrances, by query, in the mean
  double mean = 0;      ///< percent that a way costs more than the least, over the first pairs
  double longest = 0;   ///< percent, the most of them
  double door = 0;      ///< ms, of a cell that closes or opens, until ways lead around it
};

/// All pairs of a map, and the first `compared` of them beside an exact search.
WideCosts wide(Map& map, std::uint32_t compared);

}  // namespace starbus::bench::nav
