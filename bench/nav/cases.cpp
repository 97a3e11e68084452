#include "bench/nav/cases.hpp"

#include <algorithm>
#include <bit>

#include "bench/nav/measure.hpp"
#include "nav/grid/cell_search.hpp"
#include "nav/grid/flow_field.hpp"
#include "nav/grid/grid_ground.hpp"

namespace starbus::bench::nav {
namespace {

namespace ways = starbus::nav;
namespace grid = starbus::nav::grid;

// The sum is read, so that no compiler removes the work.
volatile std::uint64_t sink = 0;

// Entries of the open list of A*, in the mean over all that it expands.
std::size_t mean_open(const Map& map) {
  const grid::Layer& layer = map.layer();
  const grid::Layout& layout = layer.layout();
  grid::BucketQueue queue;
  std::uint64_t sum = 0;
  std::uint64_t count = 0;
  for (const auto& [from, to] : map.pairs()) {
    std::vector<std::uint32_t> costs(layout.count(), ~0u);
    std::vector<bool> closed(layout.count());
    const grid::Estimate estimate(layer.options().diagonals, 1);
    const grid::Spot target = grid::spot_of(to);
    std::uint64_t open = 1;
    costs[layout.index(from)] = 0;
    const std::uint32_t least = estimate.between(grid::spot_of(from), target);
    queue.start(least);
    queue.push(least, grid::spot_of(from));
    std::uint32_t rank;
    grid::Spot spot;
    while (queue.pop(rank, spot)) {
      sum += open--;
      ++count;
      const std::uint32_t index = layout.index(spot);
      if (closed[index]) continue;
      closed[index] = true;
      if (spot == target) break;
      for (unsigned left = layer.moves()[index]; left != 0; left &= left - 1) {
        const auto d = static_cast<grid::Direction>(std::countr_zero(left));
        const std::uint32_t next = index + static_cast<std::uint32_t>(layout.offset(d));
        const std::uint32_t cost = costs[index] + grid::kStepCost[d];
        if (closed[next] || costs[next] <= cost) continue;
        costs[next] = cost;
        const grid::Spot at = grid::stepped(spot, d);
        queue.push(cost + estimate.between(at, target), at);
        ++open;
      }
    }
  }
  return sum / count;
}

}  // namespace

Costs search(const Map& map, ways::Algorithm algorithm, int rounds) {
  grid::CellSearch search;
  std::vector<grid::Cell> path;
  std::uint64_t expanded = 0;
  std::uint64_t cells = 0;
  double begin = 0;
  for (int round = -1; round < rounds; ++round) {
    if (round == 0) {  // after a first one that warms up
      begin = cpu_ns();
      expanded = 0;
    }
    for (const auto& [from, to] : map.pairs()) {
      must(search.begin(map.layer(), {from, to, algorithm}).has_value());
      must(search.advance(~0u).has_value());
      must(search.path(path).has_value());
      expanded += search.expanded();
      cells += path.size();
    }
  }
  const double spent = cpu_ns() - begin;
  sink = sink + cells;
  const double queries = static_cast<double>(map.pairs().size()) * rounds;
  return {spent / 1e3 / queries, static_cast<double>(expanded) / spent * 1e3,
          static_cast<double>(expanded) / queries};
}

Costs heap(const Map& map, int rounds) {
  const std::size_t entries = mean_open(map);
  std::vector<std::uint64_t> open;
  std::uint64_t state = 1;
  // As costs and cells are in one word. What is pushed is as much more as a move makes it.
  const auto more = [&] {
    state = state * 6364136223846793005 + 1442695040888963407;
    constexpr std::uint64_t kMore[] = {0, 0, 338, 408, 816, 1154};
    return kMore[(state >> 33) % std::size(kMore)] << 32;
  };
  const auto after = [](std::uint64_t a, std::uint64_t b) { return a > b; };
  for (std::size_t i = 0; i < entries; ++i) open.push_back(more() + i);
  std::ranges::make_heap(open, after);
  const int steps = rounds * 1'000'000;
  const double begin = cpu_ns();
  for (int i = 0; i < steps; ++i) {
    std::ranges::pop_heap(open, after);
    open.back() += more();
    std::ranges::push_heap(open, after);
  }
  const double spent = cpu_ns() - begin;
  sink = sink + open.front();
  return {0, steps / spent * 1e3, static_cast<double>(entries)};
}

double unreachable(const Map& map, int rounds) {
  grid::CellSearch search;
  const auto [from, to] = map.apart();
  const int asked = rounds * 100'000;
  const double begin = cpu_ns();
  for (int i = 0; i < asked; ++i) {
    const auto begun = search.begin(map.layer(), {from, to});
    must(!begun && begun.error() == ways::Errc::unreachable);
  }
  return (cpu_ns() - begin) / asked;
}

double flow_field(const Map& map, int rounds) {
  grid::FlowField field;
  double spent = 0;
  for (int round = -1; round < rounds * 10; ++round) {
    const auto& pairs = map.pairs();
    const double begin = cpu_ns();
    must(field.build(map.layer(), pairs[static_cast<std::size_t>(round + 1) % pairs.size()].first)
             .has_value());
    if (round >= 0) spent += cpu_ns() - begin;
    sink = sink + field.reached();
  }
  return spent / 1e6 / (rounds * 10);
}

double door(int rounds) {
  grid::Terrain terrain = grid::plain(512, 512);
  constexpr std::uint32_t kRoom = 32;
  for (std::uint32_t i = 0; i < 512 * 512; ++i) {
    const std::uint32_t x = i % 512 % kRoom;
    const std::uint32_t y = i / 512 % kRoom;
    if ((x == 0 && y != 9) || (y == 0 && x != 9)) terrain.areas[i] = ways::kWall;
  }
  auto ground = *grid::GridGround::create(std::move(terrain), {});
  must(ground->add_agent({}).has_value());
  std::vector<ways::ObstacleId> doors;
  for (std::uint32_t i = 0; i < 100; ++i) {
    const auto x = static_cast<float>(32 * (1 + i % 10));
    const auto y = static_cast<float>(32 * (1 + i / 10) + 9);
    doors.push_back(*ground->add_obstacle({.box = {{x, y}, {x + 1, y + 1}}}));
  }
  const double begin = cpu_ns();
  for (int round = 0; round < rounds * 10; ++round) {
    for (const ways::ObstacleId id : doors)
      must(ground->set_present(id, round % 2 != 0).has_value());
  }
  return (cpu_ns() - begin) / 1e3 / (rounds * 1'000);
}

}  // namespace starbus::bench::nav
