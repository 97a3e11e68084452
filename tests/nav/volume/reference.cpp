#include "tests/nav/volume/reference.hpp"

#include <cmath>
#include <queue>

#include "nav/volume/chunk.hpp"

namespace starbus::nav::volume::test {

Dense::Dense(const Columns& columns) : Dense(columns.extent()) {
  each([&](Voxel voxel) { at(voxel) = columns.at(voxel); });
}

void Dense::fill(const VoxelBox& box, Area area) {
  each([&](Voxel voxel) {
    if (box.contains(voxel)) at(voxel) = area;
  });
}

Columns Dense::columns() const {
  Columns columns = *Columns::create(extent, kWall);
  each([&](Voxel voxel) {
    if (!columns.set(voxel.x, voxel.y, voxel.z, voxel.z + 1u, at(voxel))) std::abort();
  });
  return columns;
}

Areas elements() {
  Areas areas;
  areas.flags[kAir] = kAirFlag;
  areas.flags[kWater] = kWaterFlag;
  return areas;
}

Agent flier(float radius) {
  Agent agent;
  agent.include = kAirFlag;
  agent.radius = radius;
  return agent;
}

Agent swimmer() {
  Agent agent;
  agent.include = kWaterFlag;
  return agent;
}

Agent duck(std::uint8_t cost_of_water) {
  Agent agent;
  agent.include = kAirFlag | kWaterFlag;
  agent.costs[kWater] = cost_of_water;
  return agent;
}

std::vector<std::uint8_t> costs_of(const Dense& world, const Agent& agent, double radius) {
  const Areas areas = elements();
  const auto bare = [&](int x, int y, int z) -> std::uint8_t {
    const Extent& extent = world.extent;
    if (x < 0 || y < 0 || z < 0 || x >= static_cast<int>(extent.x) ||
        y >= static_cast<int>(extent.y) || z >= static_cast<int>(extent.z)) {
      return 0;
    }
    const Area area = world.at({static_cast<std::uint16_t>(x), static_cast<std::uint16_t>(y),
                                static_cast<std::uint16_t>(z)});
    return area != kWall && agent.passes(areas.flags[area]) ? agent.costs[area] : std::uint8_t{0};
  };
  const int by = static_cast<int>(std::ceil(radius)) + 1;
  std::vector<std::uint8_t> costs;
  world.each([&](Voxel at) {
    std::uint8_t cost = bare(at.x, at.y, at.z);
    for (int x = -by; x <= by && cost != 0; ++x) {
      for (int y = -by; y <= by && cost != 0; ++y) {
        for (int z = -by; z <= by && cost != 0; ++z) {
          const auto gap = [](int d) { return std::max(std::abs(d) - 1, 0); };
          const int squared = gap(x) * gap(x) + gap(y) * gap(y) + gap(z) * gap(z);
          if (squared < radius * radius && bare(at.x + x, at.y + y, at.z + z) == 0) cost = 0;
        }
      }
    }
    costs.push_back(cost);
  });
  return costs;
}

namespace {

using Item = std::pair<std::uint64_t, std::uint64_t>;  // cost, voxel
using Items = std::priority_queue<Item, std::vector<Item>, std::greater<>>;

std::optional<Voxel> moved(const Extent& extent, Voxel at, int x, int y, int z) {
  x += at.x;
  y += at.y;
  z += at.z;
  if (x < 0 || y < 0 || z < 0) return std::nullopt;
  const Voxel to{static_cast<std::uint16_t>(x), static_cast<std::uint16_t>(y),
                 static_cast<std::uint16_t>(z)};
  if (!extent.contains(to)) return std::nullopt;
  return to;
}

}  // namespace

std::vector<std::uint64_t> all_costs(const Dense& world, const std::vector<std::uint8_t>& costs,
                                     Voxel from, const std::vector<VoxelLink>& links) {
  const Extent& extent = world.extent;
  std::vector<std::uint64_t> best(costs.size(), kNoWay);
  if (costs[extent.index(from)] == 0) return best;
  Items open;
  const auto reach = [&](Voxel at, std::uint64_t cost) {
    const std::uint64_t index = extent.index(at);
    if (costs[index] == 0 || best[index] <= cost) return;
    best[index] = cost;
    open.emplace(cost, index);
  };
  reach(from, 0);
  while (!open.empty()) {
    const auto [cost, index] = open.top();
    open.pop();
    if (best[index] != cost) continue;
    const Voxel at = extent.voxel(index);
    for (Face face = 0; face < kFaces; ++face) {
      const auto to = moved(extent, at, kFaceX[face], kFaceY[face], kFaceZ[face]);
      if (to) reach(*to, cost + costs[extent.index(*to)]);
    }
    for (const VoxelLink& link : links) {
      if (link.from == at) reach(link.to, cost + link.cost);
      if (link.both_ways && link.to == at) reach(link.from, cost + link.cost);
    }
  }
  return best;
}

std::vector<double> all_lengths(const Dense& world, const std::vector<std::uint8_t>& costs,
                                Voxel from) {
  const Extent& extent = world.extent;
  std::vector<double> best(costs.size(), std::numeric_limits<double>::infinity());
  using Way = std::pair<double, std::uint64_t>;
  std::priority_queue<Way, std::vector<Way>, std::greater<>> open;
  best[extent.index(from)] = 0;
  open.emplace(0, extent.index(from));
  const auto free = [&](Voxel at, int x, int y, int z) {
    const auto to = moved(extent, at, x, y, z);
    return to && costs[extent.index(*to)] != 0;
  };
  while (!open.empty()) {
    const auto [length, index] = open.top();
    open.pop();
    if (best[index] != length) continue;
    const Voxel at = extent.voxel(index);
    for (int x = -1; x <= 1; ++x) {
      for (int y = -1; y <= 1; ++y) {
        for (int z = -1; z <= 1; ++z) {
          bool all = true;
          for (unsigned axes = 1; axes < 8; ++axes) {
            all = all && free(at, (axes & 1) != 0 ? x : 0, (axes & 2) != 0 ? y : 0,
                              (axes & 4) != 0 ? z : 0);
          }
          if (!all) continue;
          const auto to = extent.index(*moved(extent, at, x, y, z));
          const double further = length + std::sqrt(x * x + y * y + z * z);
          if (further >= best[to]) continue;
          best[to] = further;
          open.emplace(further, to);
        }
      }
    }
  }
  return best;
}

Dense random_world(Chance& chance, const Extent& extent, std::uint32_t blocked,
                   std::uint32_t most) {
  Dense world(extent);
  std::uint64_t left = extent.voxels() * blocked / 100;
  while (left > 0) {
    const Voxel low = random_voxel(chance, extent);
    const auto end = [&](std::uint16_t at) { return at + 1 + chance.below(most); };
    const VoxelBox box =
        VoxelBox{low.x, low.y, low.z, end(low.x), end(low.y), end(low.z)}.intersection(
            extent.box());
    for (std::uint32_t x = box.x0; x < box.x1; ++x) {
      for (std::uint32_t y = box.y0; y < box.y1; ++y) {
        for (std::uint32_t z = box.z0; z < box.z1; ++z) {
          Area& area = world.at({static_cast<std::uint16_t>(x), static_cast<std::uint16_t>(y),
                                 static_cast<std::uint16_t>(z)});
          if (area != kWall && left > 0) --left;
          area = kWall;
        }
      }
    }
  }
  return world;
}

Dense any_world(std::uint32_t most_side) {
  const auto side = rc::gen::inRange<std::uint32_t>(1, most_side + 1);
  Dense world({*side, *side, *side});
  const auto boxes = *rc::gen::inRange(0, 12);
  for (int i = 0; i < boxes; ++i) {
    const Voxel low = any_voxel(world.extent);
    const auto length = rc::gen::inRange<std::uint32_t>(1, most_side);
    const VoxelBox box{low.x, low.y, low.z, low.x + *length, low.y + *length, low.z + *length};
    world.fill(box, *rc::gen::weightedElement<Area>({{4, kWall}, {2, kWater}, {1, kAir}}));
  }
  const auto dots = *rc::gen::container<std::vector<std::uint32_t>>(
      rc::gen::inRange<std::uint32_t>(0, static_cast<std::uint32_t>(world.areas.size())));
  for (const std::uint32_t dot : dots) world.areas[dot] = kWall;
  return world;
}

Voxel any_voxel(const Extent& extent) {
  const auto one = [](std::uint32_t count) {
    return static_cast<std::uint16_t>(*rc::gen::inRange<std::uint32_t>(0, count));
  };
  const std::uint16_t x = one(extent.x);
  const std::uint16_t y = one(extent.y);
  return {x, y, one(extent.z)};
}

Voxel random_voxel(Chance& chance, const Extent& extent) {
  const auto x = static_cast<std::uint16_t>(chance.below(extent.x));
  const auto y = static_cast<std::uint16_t>(chance.below(extent.y));
  return {x, y, static_cast<std::uint16_t>(chance.below(extent.z))};
}

std::unique_ptr<VolumeGround> ground_of(const Dense& world) {
  VolumeOptions options;
  options.areas = elements();
  return *VolumeGround::create(world.columns(), options);
}

std::vector<Voxel> voxels_of(const VolumeGround& ground, const Path& path) {
  std::vector<Voxel> voxels;
  for (const Point& point : path.points) {
    const Voxel voxel = voxel_of(ground.frame().fine(point));
    if (voxels.empty() || voxels.back() != voxel) voxels.push_back(voxel);
  }
  return voxels;
}

double length_of(const Path& path) {
  double length = 0;
  for (std::size_t i = 1; i < path.points.size(); ++i) {
    const Point& a = path.points[i - 1];
    const Point& b = path.points[i];
    length += std::hypot(static_cast<double>(a.x) - static_cast<double>(b.x),
                         static_cast<double>(a.y) - static_cast<double>(b.y),
                         static_cast<double>(a.z) - static_cast<double>(b.z));
  }
  return length;
}

}  // namespace starbus::nav::volume::test
