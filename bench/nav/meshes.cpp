#include "bench/nav/meshes.hpp"

#include <stdexcept>

#ifdef STARBUS_BENCH_MESH
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "bench/nav/measure.hpp"
#include "nav/mesh/bake.hpp"
#include "nav/mesh/kind.hpp"
#include "nav/mesh/mesh_ground.hpp"
#include "nav/mesh/tiles.hpp"
#include "nav/random.hpp"
#endif

namespace starbus::bench::nav {

#ifdef STARBUS_BENCH_MESH

namespace {

namespace ways = starbus::nav;
namespace mesh = starbus::nav::mesh;

constexpr int kSquares = 80;  // of 2 m, along a side
constexpr int kRoom = 8;      // squares along a room's side
constexpr std::size_t kMeshPairs = 200;
constexpr int kBoundNodes = 65'535;
constexpr std::size_t kMostPolygons = 1'024;  // polygons of a way

// Hills, and walls around rooms with a door in each wall: blocks of 4 m that are no ground.
mesh::Terrain rooms() {
  mesh::Terrain terrain;
  ways::Random random(5);
  const auto below = [&](int bound) { return static_cast<int>(random.fraction() * bound); };
  const auto height = [](int x, int y) {
    return static_cast<float>(std::sin(x * 0.35) + std::sin(y * 0.25)) * 0.8F;
  };
  terrain.materials.emplace_back("wall");
  const auto quad = [&](ways::Point a, ways::Point b, ways::Point c, ways::Point d, bool wall) {
    const std::uint32_t material = wall ? 1 : 0;
    const auto first = static_cast<std::uint32_t>(terrain.points.size());
    terrain.points.insert(terrain.points.end(), {a, b, c, d});
    terrain.triangles.push_back({{first, first + 1, first + 2}, material});
    terrain.triangles.push_back({{first, first + 2, first + 3}, material});
  };
  const auto at = [](int square) { return static_cast<std::size_t>(square); };
  std::vector<std::vector<bool>> wall(kSquares, std::vector<bool>(kSquares));
  for (int i = 0; i < kSquares; i += kRoom) {
    for (int k = 0; k < kSquares; ++k) wall[at(i)][at(k)] = wall[at(k)][at(i)] = true;
  }
  for (int i = kRoom; i < kSquares; i += kRoom) {
    for (int k = 0; k < kSquares; k += kRoom) {
      const int along = k + 1 + below(kRoom - 1);
      const int down = k + 1 + below(kRoom - 1);
      wall[at(i)][at(along)] = false;
      wall[at(down)][at(i)] = false;
    }
  }
  for (int x = 0; x < kSquares; ++x) {
    for (int y = 0; y < kSquares; ++y) {
      const bool high = wall[at(x)][at(y)];
      const float up = high ? 4 : 0;
      const auto corner = [&](int cx, int cy) {
        return ways::Point{2.0F * static_cast<float>(cx), 2.0F * static_cast<float>(cy),
                           height(cx, cy) + up};
      };
      quad(corner(x, y), corner(x + 1, y), corner(x + 1, y + 1), corner(x, y + 1), high);
    }
  }
  return terrain;
}

// What both sides ask.
struct World {
  std::unique_ptr<mesh::MeshGround> ground;
  ways::AgentId agent;
  std::vector<std::pair<ways::Place, ways::Place>> pairs;

  World() {
    const auto bake =
        mesh::Bake::create(rooms(), {}, {.materials = {{"wall", ways::kWall}}, .volumes = {}});
    must(bake.has_value());
    auto baked = bake->run();
    must(baked.has_value());
    ground = *mesh::MeshGround::create(*std::move(baked), {});
    agent = *ground->add_agent({});
    for (std::uint64_t seed = 1; pairs.size() < kMeshPairs; seed += 2) {
      const auto from = *ground->random_point(agent, seed);
      const auto to = *ground->random_point(agent, seed + 1);
      if (ground->reachable(from, to, agent)) pairs.emplace_back(from, to);
    }
  }
};

const World& world() {
  static const World one;
  return one;
}

double length_of(const std::vector<ways::Point>& points) {
  double length = 0;
  for (std::size_t i = 1; i < points.size(); ++i) {
    length +=
        std::hypot(double{points[i].x} - points[i - 1].x, double{points[i].y} - points[i - 1].y,
                   double{points[i].z} - points[i - 1].z);
  }
  return length;
}

// A point 15 m from a place, towards another one.
ways::Point towards(const ways::Point& from, const ways::Point& to) {
  const double x = double{to.x} - from.x;
  const double y = double{to.y} - from.y;
  const double part = 15 / std::max(1.0, std::hypot(x, y));
  return {static_cast<float>(from.x + x * part), static_cast<float>(from.y + y * part), from.z};
}

// us by pair, after a first round that warms up.
template <class Ask>
double timed(int rounds, Ask&& ask) {
  const World& all = world();
  double begin = 0;
  for (int round = -1; round < rounds; ++round) {
    if (round == 0) begin = cpu_ns();
    for (const auto& [from, to] : all.pairs) ask(from, to);
  }
  return (cpu_ns() - begin) / 1e3 / (rounds * static_cast<double>(all.pairs.size()));
}

constexpr float kReach = 2;

}  // namespace

bool has_mesh() {
  return true;
}

MeshCosts mesh_queries(int rounds) {
  const World& all = world();
  const ways::Ground& ground = *all.ground;
  const auto search = ground.make_search();
  ways::Path path;
  MeshCosts costs;
  double length = 0;
  costs.way = timed(rounds, [&](const ways::Place& from, const ways::Place& to) {
    must(search->find({.from = from, .to = to, .agent = all.agent}, path).has_value());
  });
  for (const auto& [from, to] : all.pairs) {
    must(search->find({.from = from, .to = to, .agent = all.agent}, path).has_value());
    length += length_of(path.points);
  }
  costs.length = length / static_cast<double>(all.pairs.size());
  costs.nearest = timed(rounds, [&](const ways::Place& from, const ways::Place&) {
    must(ground.nearest(from.point, {kReach, kReach, kReach}, all.agent).has_value());
  });
  costs.ray = timed(rounds, [&](const ways::Place& from, const ways::Place& to) {
    must(ground.raycast(from, towards(from.point, to.point), all.agent).has_value());
  });
  return costs;
}

MeshCosts detour_queries(int rounds) {
  const World& all = world();
  const mesh::Tiles& tiles = all.ground->tiles();
  const dtQueryFilter& filter = all.ground->kind(all.agent)->filter();
  dtNavMeshQuery query;
  must(dtStatusSucceed(query.init(&tiles.mesh(), kBoundNodes)));
  const auto ref = [&](const ways::Place& place) { return tiles.ref(*tiles.find(place.piece)); };
  std::vector<dtPolyRef> polygons(kMostPolygons);
  std::vector<float> points(3 * kMostPolygons);
  int count = 0;
  const auto way = [&](const ways::Place& from, const ways::Place& to) {
    const mesh::Spot start = mesh::spot_of(from.point);
    const mesh::Spot goal = mesh::spot_of(to.point);
    int corridor = 0;
    must(dtStatusSucceed(query.findPath(ref(from), ref(to), start.data(), goal.data(), &filter,
                                        polygons.data(), &corridor,
                                        static_cast<int>(kMostPolygons))));
    must(dtStatusSucceed(query.findStraightPath(start.data(), goal.data(), polygons.data(),
                                                corridor, points.data(), nullptr, nullptr, &count,
                                                static_cast<int>(kMostPolygons))));
  };
  MeshCosts costs;
  costs.way = timed(rounds, way);
  double length = 0;
  for (const auto& [from, to] : all.pairs) {
    way(from, to);
    std::vector<ways::Point> corners;
    for (int i = 0; i < count; ++i)
      corners.push_back(mesh::point_of(&points[3 * static_cast<std::size_t>(i)]));
    length += length_of(corners);
  }
  costs.length = length / static_cast<double>(all.pairs.size());
  // As much in height as Ground::nearest looks.
  const float reach[] = {kReach, kReach + all.ground->layout().options.agent_climb, kReach};
  costs.nearest = timed(rounds, [&](const ways::Place& from, const ways::Place&) {
    const mesh::Spot at = mesh::spot_of(from.point);
    dtPolyRef found = 0;
    mesh::Spot on;
    must(dtStatusSucceed(query.findNearestPoly(at.data(), reach, &filter, &found, on.data())) &&
         found != 0);
  });
  costs.ray = timed(rounds, [&](const ways::Place& from, const ways::Place& to) {
    const mesh::Spot start = mesh::spot_of(from.point);
    const mesh::Spot goal = mesh::spot_of(towards(from.point, to.point));
    dtRaycastHit hit{};
    hit.path = polygons.data();
    hit.maxPath = static_cast<int>(kMostPolygons);
    must(dtStatusSucceed(query.raycast(ref(from), start.data(), goal.data(), &filter, 0, &hit)));
  });
  return costs;
}

#else

bool has_mesh() {
  return false;
}

MeshCosts mesh_queries(int) {
  throw std::runtime_error("built without navmeshes: install librecast-dev");
}

MeshCosts detour_queries(int) {
  throw std::runtime_error("built without navmeshes: install librecast-dev");
}

#endif

}  // namespace starbus::bench::nav
