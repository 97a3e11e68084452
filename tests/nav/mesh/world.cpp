#include "tests/nav/mesh/world.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <queue>

#include "nav/mesh/kind.hpp"
#include "nav/mesh/stand.hpp"
#include "tests/nav/reference.hpp"

namespace starbus::nav::mesh::test {

void World::quad(Point a, Point b, Point c, Point d, const char* material) {
  const auto first = static_cast<std::uint32_t>(terrain_.points.size());
  auto known = std::ranges::find(terrain_.materials, material);
  if (known == terrain_.materials.end()) {
    known = terrain_.materials.insert(known, material);
  }
  const auto of = static_cast<std::uint32_t>(known - terrain_.materials.begin());
  for (const Point& one : {a, b, c, d}) terrain_.points.push_back(one);
  terrain_.triangles.push_back({{first, first + 1, first + 2}, of});
  terrain_.triangles.push_back({{first, first + 2, first + 3}, of});
}

World& World::floor(float x0, float y0, float x1, float y1, float z, const char* material) {
  quad({x0, y0, z}, {x1, y0, z}, {x1, y1, z}, {x0, y1, z}, material);
  return *this;
}

World& World::ramp_x(float x0, float y0, float x1, float y1, float z0, float z1) {
  quad({x0, y0, z0}, {x1, y0, z1}, {x1, y1, z1}, {x0, y1, z0});
  return *this;
}

World& World::ramp_y(float x0, float y0, float x1, float y1, float z0, float z1) {
  quad({x0, y0, z0}, {x1, y0, z0}, {x1, y1, z1}, {x0, y1, z1});
  return *this;
}

World& World::block(float x0, float y0, float x1, float y1, float z0, float z1) {
  floor(x0, y0, x1, y1, z1);
  quad({x0, y0, z0}, {x1, y0, z0}, {x1, y0, z1}, {x0, y0, z1});
  quad({x1, y0, z0}, {x1, y1, z0}, {x1, y1, z1}, {x1, y0, z1});
  quad({x1, y1, z0}, {x0, y1, z0}, {x0, y1, z1}, {x1, y1, z1});
  quad({x0, y1, z0}, {x0, y0, z0}, {x0, y0, z1}, {x0, y1, z1});
  return *this;
}

World& World::stairs(float x, float y0, float y1, float z, int count, float width, float height) {
  for (int i = 0; i < count; ++i) {
    const float from = x + width * static_cast<float>(i);
    block(from, y0, from + width, y1, z, z + height * static_cast<float>(i + 1));
  }
  return *this;
}

World& World::hills(std::uint64_t seed, float x0, float y0, int columns, int rows, float most) {
  grid::test::Chance chance(seed);
  std::vector<float> heights;
  for (int i = 0; i < (columns + 1) * (rows + 1); ++i) {
    heights.push_back(most * static_cast<float>(chance.below(1'000)) / 1'000);
  }
  const auto corner = [&](int x, int y) {
    return Point{x0 + 2 * static_cast<float>(x), y0 + 2 * static_cast<float>(y),
                 heights[static_cast<std::size_t>(x + y * (columns + 1))]};
  };
  for (int y = 0; y < rows; ++y) {
    for (int x = 0; x < columns; ++x) {
      quad(corner(x, y), corner(x + 1, y), corner(x + 1, y + 1), corner(x, y + 1));
    }
  }
  return *this;
}

World valley() {
  World world;
  // The floor, around a hole from (10, 10) to (16, 16).
  world.floor(0, 0, 48, 10, 0).floor(0, 10, 10, 16, 0).floor(16, 10, 48, 16, 0);
  world.floor(0, 16, 30, 32, 0).floor(30, 16, 36, 32, 0, "water").floor(36, 16, 48, 32, 0);
  // A wall along x = 24 with a gap.
  world.block(23.5F, 0, 24.5F, 6, 0, 3).block(23.5F, 9, 24.5F, 16, 0, 3);
  // Two storeys: the upper one above a part of the floor, and a ramp up to it.
  world.floor(32, 2, 44, 12, 4).ramp_x(25.5F, 3, 32, 6, 0, 4);
  // A bridge from there to a hill in the corner, above the road along y = 14.
  world.floor(40, 12, 43, 20, 4).block(38, 20, 46, 26, 0, 4);
  // A platform without a way up.
  world.block(2, 24, 8, 30, 0, 5);
  return world;
}

World rooms(std::uint64_t seed, int columns, int rows) {
  constexpr float kRoom = 6;
  constexpr float kThick = 0.5F;
  grid::test::Chance chance(seed);
  World world;
  world.floor(0, 0, kRoom * static_cast<float>(columns), kRoom * static_cast<float>(rows), 0);
  for (int y = 0; y < rows; ++y) {
    for (int x = 0; x < columns; ++x) {
      const float left = kRoom * static_cast<float>(x);
      const float low = kRoom * static_cast<float>(y);
      const bool doors[] = {chance.below(4) != 0, chance.below(4) != 0};
      if (x > 0) {
        world.block(left - kThick / 2, low, left + kThick / 2, low + 2, 0, 3);
        const float from = doors[0] ? low + 4 : low + 2;
        world.block(left - kThick / 2, from, left + kThick / 2, low + kRoom, 0, 3);
      }
      if (y > 0) {
        world.block(left, low - kThick / 2, left + 2, low + kThick / 2, 0, 3);
        const float from = doors[1] ? left + 4 : left + 2;
        world.block(from, low - kThick / 2, left + kRoom, low + kThick / 2, 0, 3);
      }
    }
  }
  return world;
}

BakeOptions small_tiles() {
  BakeOptions options;
  options.tile_cells = 32;
  return options;
}

Baked bake(const World& world, const BakeOptions& options, const Paint& paint) {
  return Bake::create(world.terrain(), options, paint).value().run().value();
}

std::unique_ptr<MeshGround> ground_of(const World& world, const BakeOptions& options,
                                      const Paint& paint, const Areas& areas) {
  return MeshGround::create(bake(world, options, paint), areas).value();
}

Place at(const MeshGround& ground, AgentId agent, Point point) {
  return ground.nearest(point, {1, 1, 1}, agent).value();
}

bool on_mesh(const MeshGround& ground, AgentId agent, const Point& point) {
  const auto place = ground.nearest(point, {0.02F, 0.02F, 0.5F}, agent);
  return place.has_value();
}

double least_cost(const MeshGround& ground, AgentId agent, const Place& from, const Place& to) {
  const Tiles& tiles = ground.tiles();
  const Kind& kind = *ground.kind(agent);
  struct Step {
    Spot spot;
    Polygon polygon;
    Polygon before;
    std::size_t number;  // of its way or leg
  };
  const auto apart = [](const Spot& a, const Spot& b) {
    double sum = 0;
    for (std::size_t i = 0; i < 3; ++i) sum += std::pow(double{a[i]} - double{b[i]}, 2);
    return std::sqrt(sum);
  };
  std::vector<double> best(tiles.ways() + kind.legs().size(), INFINITY);
  const auto later = [](const auto& a, const auto& b) { return a.first > b.first; };
  std::priority_queue<std::pair<double, Step>, std::vector<std::pair<double, Step>>,
                      decltype(later)>
      open(later);
  open.push({0, {spot_of(from.point), *tiles.find(from.piece), kNoPolygon, best.size()}});
  double found = INFINITY;
  const Polygon goal = *tiles.find(to.piece);
  while (!open.empty()) {
    const auto [cost, step] = open.top();
    open.pop();
    if (step.number < best.size() && cost > best[step.number]) continue;
    const double metre = kind.cost(tiles.area(step.polygon));
    if (step.polygon == goal) {
      found = std::min(found, cost + apart(step.spot, spot_of(to.point)) * metre);
    }
    const auto go = [&](std::size_t number, double next, const Step& there) {
      if (next >= best[number]) return;
      best[number] = next;
      open.push({next, there});
    };
    std::size_t number = tiles.first_way(step.polygon);
    for (const Way& way : tiles.ways(step.polygon)) {
      if (way.to != step.before && kind.passes(way.area)) {
        go(number, cost + apart(step.spot, way.middle) * metre,
           {way.middle, way.to, step.polygon, number});
      }
      ++number;
    }
    for (std::size_t i = 0; i < kind.legs().size(); ++i) {
      const Leg& leg = kind.legs()[i];
      if (leg.from != step.polygon) continue;
      go(tiles.ways() + i,
         cost + apart(step.spot, leg.start) * metre + double{leg.cost} * kind.cost(leg.area),
         {leg.end, leg.to, kNoPolygon, tiles.ways() + i});
    }
  }
  return found;
}

}  // namespace starbus::nav::mesh::test
