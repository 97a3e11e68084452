#include "tests/nav/reference.hpp"

#include <algorithm>
#include <cmath>
#include <queue>

namespace starbus::nav::grid::test {
namespace {

// The directions of the contract, written once more.
constexpr int kDx[] = {1, 0, -1, 0, 1, -1, -1, 1};
constexpr int kDy[] = {0, 1, 0, -1, 1, 1, -1, -1};

Cell moved(Cell from, int dx, int dy) {
  return {static_cast<std::uint16_t>(from.x + dx), static_cast<std::uint16_t>(from.y + dy)};
}

bool passes(const Case& of, int x, int y) {
  const Terrain& terrain = of.terrain;
  if (x < 0 || y < 0 || x >= static_cast<int>(terrain.width) ||
      y >= static_cast<int>(terrain.height)) {
    return false;
  }
  const Area area =
      terrain.areas[static_cast<std::size_t>(y) * terrain.width + static_cast<std::size_t>(x)];
  return area != kWall && of.options.agent.passes(of.options.areas.flags[area]);
}

bool climbs(const Case& of, Cell a, Cell b) {
  return std::fabs(of.terrain.level(a) - of.terrain.level(b)) <= of.options.agent.climb;
}

template <class Cost, class LinkCost>
std::vector<std::uint64_t> relax(const Case& of, Cell from, Cost cost_of_move,
                                 LinkCost cost_of_link) {
  const Terrain& terrain = of.terrain;
  std::vector<std::uint64_t> costs(terrain.areas.size(), kNoWay);
  const auto at = [&](Cell cell) -> std::uint64_t& {
    return costs[std::size_t{cell.y} * terrain.width + cell.x];
  };
  if (!may_stand(of, from.x, from.y)) return costs;
  at(from) = 0;
  bool forwards = false;
  for (bool changed = true; changed;) {
    changed = false;
    forwards = !forwards;  // in turns, so that costs spread both ways at once
    for (std::uint32_t i = 0; i < terrain.height; ++i) {
      for (std::uint32_t j = 0; j < terrain.width; ++j) {
        const Cell cell{static_cast<std::uint16_t>(forwards ? j : terrain.width - 1 - j),
                        static_cast<std::uint16_t>(forwards ? i : terrain.height - 1 - i)};
        if (at(cell) == kNoWay) continue;
        for (int d = 0; d < 8; ++d) {
          if (!may_move(of, cell, kDx[d], kDy[d])) continue;
          const Cell to = moved(cell, kDx[d], kDy[d]);
          const std::uint64_t cost = at(cell) + cost_of_move(to, d);
          if (cost >= at(to)) continue;
          at(to) = cost;
          changed = true;
        }
      }
    }
    for (const CellLink& link : terrain.links) {
      if (!may_use(of, link)) continue;
      const auto over = [&](Cell here, Cell there) {
        if (at(here) == kNoWay || at(here) + cost_of_link(link) >= at(there)) return;
        at(there) = at(here) + cost_of_link(link);
        changed = true;
      };
      over(link.from, link.to);
      if (link.both_ways) over(link.to, link.from);
    }
  }
  return costs;
}

}  // namespace

std::uint64_t Chance::word() {
  std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

std::uint32_t Chance::below(std::uint32_t bound) {
  return static_cast<std::uint32_t>(word() % bound);
}

Terrain random_terrain(Chance& chance, std::uint32_t width, std::uint32_t height,
                       std::uint32_t blocked) {
  Terrain terrain = plain(width, height);
  for (Area& area : terrain.areas) {
    if (chance.below(100) < blocked) area = kWall;
  }
  return terrain;
}

Terrain rooms(Chance& chance, std::uint32_t width, std::uint32_t height, std::uint32_t room) {
  Terrain terrain = plain(width, height);
  const auto at = [&](std::uint32_t x, std::uint32_t y) -> Area& {
    return terrain.areas[std::size_t{y} * width + x];
  };
  for (std::uint32_t y = 0; y < height; ++y) {
    for (std::uint32_t x = 0; x < width; ++x) {
      if (x % (room + 1) == room || y % (room + 1) == room) at(x, y) = kWall;
    }
  }
  for (std::uint32_t y = 0; y < height; y += room + 1) {
    for (std::uint32_t x = 0; x < width; x += room + 1) {
      const std::uint32_t right = x + room;
      const std::uint32_t below = y + room;
      if (right < width && chance.below(10) < 8) {
        const std::uint32_t door = y + chance.below(room);
        if (door < height) at(right, door) = kPlain;
      }
      if (below < height && chance.below(10) < 8) {
        const std::uint32_t door = x + chance.below(room);
        if (door < width) at(door, below) = kPlain;
      }
    }
  }
  return terrain;
}

Cell random_cell(Chance& chance, const Terrain& terrain) {
  return {static_cast<std::uint16_t>(chance.below(terrain.width)),
          static_cast<std::uint16_t>(chance.below(terrain.height))};
}

Cell random_place(Chance& chance, const Layer& layer) {
  for (;;) {
    const Cell cell{static_cast<std::uint16_t>(chance.below(layer.layout().width)),
                    static_cast<std::uint16_t>(chance.below(layer.layout().height))};
    if (layer.passable(cell)) return cell;
  }
}

bool may_stand(const Case& of, int x, int y) {
  const int margin = static_cast<int>(of.options.margin);
  for (int dy = -margin; dy <= margin; ++dy) {
    for (int dx = -margin; dx <= margin; ++dx) {
      if (!passes(of, x + dx, y + dy)) return false;
    }
  }
  return true;
}

bool may_move(const Case& of, Cell from, int dx, int dy) {
  if (!may_stand(of, from.x, from.y) || !may_stand(of, from.x + dx, from.y + dy)) return false;
  const Cell to = moved(from, dx, dy);
  if (!climbs(of, from, to)) return false;
  if (dx == 0 || dy == 0) return true;
  const auto side = [&](int x, int y) {
    return may_stand(of, from.x + x, from.y + y) && climbs(of, from, moved(from, x, y)) &&
           climbs(of, moved(from, x, y), to);
  };
  switch (of.options.diagonals) {
    case Diagonals::none:
      return false;
    case Diagonals::no_cut:
      return side(dx, 0) && side(0, dy);
    case Diagonals::one_side:
      return side(dx, 0) || side(0, dy);
    case Diagonals::cut:
      return true;
  }
  return false;
}

bool may_use(const Case& of, const CellLink& link) {
  return link.cost != 0 && link.area != kWall &&
         of.options.agent.passes(of.options.areas.flags[link.area]) &&
         may_stand(of, link.from.x, link.from.y) && may_stand(of, link.to.x, link.to.y);
}

std::uint64_t cost_of(const Case& of, const CellLink& link) {
  return std::uint64_t{link.cost} * of.options.agent.costs[link.area];
}

std::uint32_t cost_of(const Case& of, Cell cell) {
  return of.options.agent.costs[of.terrain.area(cell)];
}

std::vector<std::uint64_t> all_costs(const Case& of, Cell from) {
  return relax(
      of, from,
      [&](Cell to, int d) -> std::uint64_t {
        return std::uint64_t{d < 4 ? 408u : 577u} * cost_of(of, to);
      },
      [&](const CellLink& link) { return cost_of(of, link); });
}

std::vector<std::uint64_t> all_moves(const Case& of, Cell from) {
  return relax(
      of, from, [](Cell, int) -> std::uint64_t { return 1; },
      [](const CellLink&) -> std::uint64_t { return 1; });
}

Found a_star(const Case& of, Cell from, Cell to, bool with_estimate) {
  const Terrain& terrain = of.terrain;
  std::uint32_t least = 1000;
  for (std::size_t area = 1; area <= kMaxArea; ++area) {
    if (!of.options.agent.passes(of.options.areas.flags[area])) continue;
    least = std::min<std::uint32_t>(least, of.options.agent.costs[area]);
  }
  const auto estimate = [&](Cell at) -> std::uint64_t {
    if (!with_estimate) return 0;
    const auto dx = static_cast<std::uint64_t>(std::abs(at.x - to.x));
    const auto dy = static_cast<std::uint64_t>(std::abs(at.y - to.y));
    if (of.options.diagonals == Diagonals::none) return (dx + dy) * 408 * least;
    return (408 * std::max(dx, dy) + (577 - 408) * std::min(dx, dy)) * least;
  };
  struct Open {
    std::uint64_t sum;
    std::uint64_t number;
    Cell cell;
    bool operator<(const Open& other) const {
      return sum != other.sum ? sum > other.sum : number < other.number;
    }
  };
  std::vector<std::uint64_t> costs(terrain.areas.size(), kNoWay);
  std::vector<std::uint8_t> closed(terrain.areas.size());
  std::vector<Cell> parents(terrain.areas.size());
  const auto index = [&](Cell cell) { return std::size_t{cell.y} * terrain.width + cell.x; };
  std::priority_queue<Open> open;
  std::uint64_t pushed = 0;
  costs[index(from)] = 0;
  open.push({estimate(from), pushed++, from});
  Found found;
  while (!open.empty()) {
    const Cell cell = open.top().cell;
    open.pop();
    if (closed[index(cell)]++ != 0) continue;
    ++found.expanded;
    if (cell == to) break;
    for (int d = 0; d < 8; ++d) {
      if (!may_move(of, cell, kDx[d], kDy[d])) continue;
      const Cell next = moved(cell, kDx[d], kDy[d]);
      const std::uint64_t cost =
          costs[index(cell)] + std::uint64_t{d < 4 ? 408u : 577u} * cost_of(of, next);
      if (closed[index(next)] != 0 || cost >= costs[index(next)]) continue;
      costs[index(next)] = cost;
      parents[index(next)] = cell;
      open.push({cost + estimate(next), pushed++, next});
    }
  }
  if (costs[index(to)] == kNoWay) return found;
  for (Cell at = to; at != from; at = parents[index(at)]) found.path.push_back(at);
  found.path.push_back(from);
  std::ranges::reverse(found.path);
  return found;
}

std::uint64_t path_cost(const Case& of, const std::vector<Cell>& path,
                        const std::vector<LinkStep>& links) {
  std::uint64_t cost = 0;
  std::size_t used = 0;
  for (std::size_t i = 1; i < path.size(); ++i) {
    if (used < links.size() && links[used].cell == i - 1) {
      const CellLink& link = of.terrain.links[links[used++].link];
      const bool onwards = link.from == path[i - 1] && link.to == path[i];
      const bool back = link.both_ways && link.to == path[i - 1] && link.from == path[i];
      if (!may_use(of, link) || (!onwards && !back)) return kNoWay;
      cost += cost_of(of, link);
      continue;
    }
    const int dx = path[i].x - path[i - 1].x;
    const int dy = path[i].y - path[i - 1].y;
    if (std::max(std::abs(dx), std::abs(dy)) != 1 || !may_move(of, path[i - 1], dx, dy)) {
      return kNoWay;
    }
    cost += std::uint64_t{dx == 0 || dy == 0 ? 408u : 577u} * cost_of(of, path[i]);
  }
  return used == links.size() ? cost : kNoWay;
}

}  // namespace starbus::nav::grid::test
