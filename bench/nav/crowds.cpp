#include "bench/nav/crowds.hpp"

#include <cmath>
#include <stdexcept>

#include "bench/nav/measure.hpp"
#include "nav/crowd/crowd.hpp"
#include "nav/crowd/flock.hpp"

#ifdef STARBUS_BENCH_DETOUR
#include <DetourCrowd.h>
#include <DetourNavMesh.h>
#include <DetourNavMeshBuilder.h>
#include <DetourNavMeshQuery.h>

#include <memory>
#endif

namespace starbus::bench::nav {
namespace {

namespace crowd = starbus::nav::crowd;
namespace grid = starbus::nav::grid;

constexpr float kStep = 0.1F;  // s
constexpr int kWarm = 40;      // steps: ways are found, and all have begun to walk

}  // namespace

Errands packed(std::uint32_t walkers) {
  Errands errands;
  const auto row = static_cast<std::uint32_t>(std::ceil(std::sqrt(double{1} * walkers)));
  errands.side = static_cast<float>(row) * 1.5F + 40;
  for (std::uint32_t i = 0; i < walkers; ++i) {
    const float x = 20 + static_cast<float>(i % row) * 1.5F;
    const float y = 20 + static_cast<float>(i / row) * 1.5F;
    errands.all.push_back({x, y, errands.side - x, errands.side - y});
  }
  return errands;
}

Errands spread(std::uint32_t walkers, float side) {
  Errands errands;
  errands.side = side;
  std::uint64_t state = 7;
  const auto place = [&] {
    state = state * 6364136223846793005 + 1442695040888963407;
    return 1 + static_cast<float>(state >> 40) / static_cast<float>(1 << 24) * (side - 2);
  };
  for (std::uint32_t i = 0; i < walkers; ++i) {
    const float x = place();
    const float y = place();
    errands.all.push_back({x, y, side - x, side - y});
  }
  return errands;
}

double crowd_step(const Errands& errands, int steps) {
  const auto cells = static_cast<std::uint32_t>(errands.side);
  const auto ground = *grid::GridGround::create(grid::plain(cells, cells), {});
  const auto agent = *ground->add_agent({});
  crowd::CrowdOptions options;
  options.walkers = static_cast<std::uint32_t>(errands.all.size());
  options.nodes_per_step = 65'536;
  const auto all = *crowd::Crowd::create(*ground, options);
  for (const auto& one : errands.all) {
    const auto id = all->add({.agent = agent}, *ground->nearest({one.x, one.y}, {1, 1}, agent));
    must(id && all->go_to(*id, *ground->nearest({one.to_x, one.to_y}, {1, 1}, agent), {}));
  }
  for (int i = 0; i < kWarm; ++i) must(all->step(kStep).has_value());
  must(all->counts().waiting == 0);
  const double begin = cpu_ns();
  for (int i = 0; i < steps; ++i) must(all->step(kStep).has_value());
  return (cpu_ns() - begin) / 1e6 / steps;
}

#ifdef STARBUS_BENCH_DETOUR

namespace {

// One square of flat ground: a polygon, as Recast makes of it, too.
std::unique_ptr<dtNavMesh, void (*)(dtNavMesh*)> flat_mesh(float side) {
  constexpr float kCell = 0.25F;
  const auto cells = static_cast<unsigned short>(side / kCell);
  const unsigned short corners[] = {0, 0, 0, 0, 0, cells, cells, 0, cells, cells, 0, 0};
  unsigned short polygon[12];
  for (auto& index : polygon) index = 0xffff;
  for (unsigned short i = 0; i < 4; ++i) polygon[i] = i;
  const unsigned short flags[] = {1};
  const unsigned char areas[] = {0};
  dtNavMeshCreateParams params{};
  params.verts = corners;
  params.vertCount = 4;
  params.polys = polygon;
  params.polyFlags = flags;
  params.polyAreas = areas;
  params.polyCount = 1;
  params.nvp = 6;
  params.bmax[0] = params.bmax[2] = side;
  params.bmax[1] = 2;
  params.walkableHeight = 2;
  params.walkableRadius = 0.4F;
  params.walkableClimb = 1;
  params.cs = params.ch = kCell;
  params.buildBvTree = true;
  unsigned char* bytes = nullptr;
  int size = 0;
  must(dtCreateNavMeshData(&params, &bytes, &size));
  std::unique_ptr<dtNavMesh, void (*)(dtNavMesh*)> mesh(dtAllocNavMesh(), dtFreeNavMesh);
  must(dtStatusSucceed(mesh->init(bytes, size, DT_TILE_FREE_DATA)));
  return mesh;
}

}  // namespace

bool has_detour() {
  return true;
}

double detour_step(const Errands& errands, int steps) {
  const auto mesh = flat_mesh(errands.side);
  std::unique_ptr<dtCrowd, void (*)(dtCrowd*)> all(dtAllocCrowd(), dtFreeCrowd);
  must(all->init(static_cast<int>(errands.all.size()), 0.4F, mesh.get()));
  // "Medium" of its demonstration program.
  dtObstacleAvoidanceParams avoidance = *all->getObstacleAvoidanceParams(0);
  avoidance.velBias = 0.5F;
  avoidance.adaptiveDivs = 5;
  avoidance.adaptiveRings = 2;
  avoidance.adaptiveDepth = 2;
  all->setObstacleAvoidanceParams(0, &avoidance);
  dtCrowdAgentParams params{};
  params.radius = 0.4F;
  params.height = 2;
  params.maxSpeed = 3;
  params.maxAcceleration = 8;
  params.collisionQueryRange = 6;
  params.pathOptimizationRange = params.radius * 30;
  params.updateFlags = DT_CROWD_ANTICIPATE_TURNS | DT_CROWD_OPTIMIZE_VIS | DT_CROWD_OPTIMIZE_TOPO |
                       DT_CROWD_OBSTACLE_AVOIDANCE;
  for (const auto& one : errands.all) {
    const float at[] = {one.x, 0, one.y};
    const float to[] = {one.to_x, 0, one.to_y};
    const float reach[] = {1, 2, 1};
    const int id = all->addAgent(at, &params);
    dtPolyRef goal = 0;
    float nearest[3];
    must(id >= 0 && dtStatusSucceed(all->getNavMeshQuery()->findNearestPoly(
                        to, reach, all->getFilter(0), &goal, nearest)));
    must(all->requestMoveTarget(id, goal, nearest));
  }
  for (int i = 0; i < kWarm; ++i) all->update(kStep, nullptr);
  const double begin = cpu_ns();
  for (int i = 0; i < steps; ++i) all->update(kStep, nullptr);
  return (cpu_ns() - begin) / 1e6 / steps;
}

#else

bool has_detour() {
  return false;
}

double detour_step(const Errands&, int) {
  throw std::runtime_error("built without DetourCrowd: install librecast-dev");
}

#endif

double flock_unit(std::uint32_t units, int steps) {
  constexpr std::uint32_t kSide = 512;
  grid::Terrain terrain = grid::plain(kSide, kSide);
  for (std::uint32_t y = 0; y < kSide; ++y) {  // walls with gaps, as houses along their way
    for (const std::uint32_t x : {200u, 201u, 300u, 301u}) {
      if (y / 16 % 2 == 0) terrain.areas[y * kSide + x] = starbus::nav::kWall;
    }
  }
  const auto ground = *grid::GridGround::create(std::move(terrain), {});
  const auto agent = *ground->add_agent({});
  grid::FlowField field;
  const grid::Cell goal{480, 256};
  must(field.build(*ground->layer(agent), goal).has_value());
  const auto flock = *crowd::Flock::create(*ground, agent, {.units = units});
  const auto group = *flock->add_group(field, ground->place(goal));
  const auto row = static_cast<std::uint32_t>(std::sqrt(double{1} * units));
  for (std::uint32_t i = 0; i < units; ++i) {
    const starbus::nav::Point at{90 + static_cast<float>(i % row),
                                 200 + static_cast<float>(i / row), 0};
    must(flock->add(group, *ground->nearest(at, {}, agent)).has_value());
  }
  for (int i = 0; i < kWarm; ++i) must(flock->step(kStep).has_value());
  const double begin = cpu_ns();
  for (int i = 0; i < steps; ++i) must(flock->step(kStep).has_value());
  return (cpu_ns() - begin) / steps / units;
}

}  // namespace starbus::bench::nav
