#include "bench/nav/maps.hpp"

namespace starbus::bench::nav {
namespace {

namespace grid = starbus::nav::grid;

// splitmix64 (Steele, Lea, Flood 2014).
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : state_(seed) {}
  std::uint32_t below(std::uint32_t bound) {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return static_cast<std::uint32_t>((z ^ z >> 31) % bound);
  }

 private:
  std::uint64_t state_;
};

grid::Terrain make(std::uint32_t side, std::uint32_t room, std::uint32_t blocked) {
  Chance chance(side * 1'000 + room * 100 + blocked);
  grid::Terrain terrain = grid::plain(side, side);
  const auto at = [&](std::uint32_t x, std::uint32_t y) -> starbus::nav::Area& {
    return terrain.areas[std::size_t{y} * side + x];
  };
  const std::uint32_t step = room + 1;
  for (std::uint32_t y = 0; y < side; ++y) {
    for (std::uint32_t x = 0; x < side; ++x) {
      const bool wall =
          room != 0 ? x % step == room || y % step == room : chance.below(100) < blocked;
      if (wall) at(x, y) = starbus::nav::kWall;
    }
  }
  for (std::uint32_t y = 0; room != 0 && y < side; y += step) {
    for (std::uint32_t x = 0; x < side; x += step) {
      const std::uint32_t down = y + chance.below(room);
      const std::uint32_t right = x + chance.below(room);
      if (x + room < side && down < side) at(x + room, down) = starbus::nav::kPlain;
      if (y + room < side && right < side) at(right, y + room) = starbus::nav::kPlain;
    }
  }
  // A cell behind walls, for what is unreachable.
  for (std::uint32_t i = 0; i < 9; ++i) at(i % 3, i / 3) = starbus::nav::kWall;
  at(1, 1) = starbus::nav::kPlain;
  return terrain;
}

}  // namespace

Map::Map(std::uint32_t side, std::uint32_t room, std::uint32_t blocked, std::uint32_t pairs)
    : terrain_(make(side, room, blocked)), layer_(terrain_, {}) {
  Chance chance(17);
  const auto any = [&] {
    return grid::Cell{static_cast<std::uint16_t>(chance.below(side)),
                      static_cast<std::uint16_t>(chance.below(side))};
  };
  while (pairs_.size() < pairs) {
    const grid::Cell from = any();
    const grid::Cell to = any();
    if (layer_.connected(from, to)) pairs_.emplace_back(from, to);
  }
  apart_ = {pairs_.front().first, grid::Cell{1, 1}};
}

void Map::make_table() {
  (void)layer_.prepare();  // these maps are uniform
}

void Map::turn(grid::Cell cell) {
  starbus::nav::Area& area = terrain_.areas[std::size_t{cell.y} * terrain_.width + cell.x];
  area = area == starbus::nav::kWall ? starbus::nav::kPlain : starbus::nav::kWall;
  layer_.refresh({cell.x, cell.y, cell.x + 1u, cell.y + 1u});
}

}  // namespace starbus::bench::nav
