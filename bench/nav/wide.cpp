#include "bench/nav/wide.hpp"

#include <algorithm>

#include "bench/nav/measure.hpp"
#include "nav/grid/cell_search.hpp"
#include "nav/grid/clusters/clusters.hpp"

namespace starbus::bench::nav {
namespace {

namespace grid = starbus::nav::grid;
using starbus::nav::Algorithm;

double cpu_ms() {
  return cpu_ns() / 1e6;
}

std::uint64_t cost_of(grid::CellSearch& search, const Map& map, grid::Cell from, grid::Cell to,
                      Algorithm algorithm) {
  must(search.begin(map.layer(), {from, to, algorithm}) && search.advance(~0u));
  return search.cost();
}

}  // namespace

WideCosts wide(Map& map, std::uint32_t compared) {
  WideCosts costs;
  const double begin = cpu_ms();
  map.layer().prepare_clusters(~0u);
  costs.build = cpu_ms() - begin;
  const grid::Layout& layout = map.layer().layout();
  // By cell: an area with and without obstacles; of the layer 13 bytes and 2 bits.
  const double cells = static_cast<double>(layout.width) * static_cast<double>(layout.height);
  costs.memory = static_cast<double>(map.layer().clusters()->bytes()) / (cells * 15.25) * 100;

  grid::CellSearch search;
  std::vector<grid::Cell> path;
  std::vector<double> times;
  std::uint64_t expanded = 0;
  const auto ask = [&](grid::Cell from, grid::Cell to) {
    const double asked = cpu_ms();
    (void)cost_of(search, map, from, to, Algorithm::hierarchical);
    (void)search.path(path);
    times.push_back(cpu_ms() - asked);
    expanded += search.expanded();
  };
  for (const auto& [from, to] : map.pairs()) ask(from, to);  // to warm up
  times.clear();
  expanded = 0;
  for (const auto& [from, to] : map.pairs()) ask(from, to);
  std::ranges::sort(times);
  costs.median = times[times.size() / 2];
  costs.p99 = times[times.size() * 99 / 100];
  costs.expanded = static_cast<double>(expanded) / static_cast<double>(times.size());

  for (std::uint32_t i = 0; i < compared; ++i) {
    const auto& [from, to] = map.pairs()[i];
    const auto way = cost_of(search, map, from, to, Algorithm::hierarchical);
    const auto least = cost_of(search, map, from, to, Algorithm::automatic);
    const double longer = static_cast<double>(way) / static_cast<double>(least) * 100 - 100;
    costs.mean += longer / compared;
    costs.longest = std::max(costs.longest, longer);
  }

  constexpr int kDoors = 50;
  const double closing = cpu_ms();
  for (int i = 0; i < kDoors; ++i) {
    map.turn(map.pairs()[static_cast<std::size_t>(i / 2)].first);  // closes, and opens again
    map.layer().prepare_clusters(~0u);
  }
  costs.door = (cpu_ms() - closing) / kDoors;
  return costs;
}

}  // namespace starbus::bench::nav
