// Reaches each limit of volumes: what is beyond is refused, with the limit's name.
#include "nav/volume/limits.hpp"

#include <gtest/gtest.h>

#include "nav/volume/linear_octree.hpp"
#include "nav/volume/solids.hpp"
#include "tests/nav/volume/reference.hpp"

namespace starbus::nav::volume::test {
namespace {

template <class Value>
bool beyond(const Result<Value>& result, std::string_view limit, Errc code = Errc::too_large) {
  return result.error() == code && result.error().detail == limit;
}

TEST(VolumeLimits, RefusesSidesBeyondKMaxVoxelSide) {
  EXPECT_TRUE(Columns::create({kMaxVoxelSide, 1, 1}));
  EXPECT_TRUE(Columns::create({1, 1, kMaxVoxelSide}));
  EXPECT_TRUE(beyond(Columns::create({kMaxVoxelSide + 1, 1, 1}), "kMaxVoxelSide"));
  EXPECT_TRUE(beyond(Columns::create({1, kMaxVoxelSide + 1, 1}), "kMaxVoxelSide"));
  EXPECT_TRUE(beyond(Columns::create({1, 1, kMaxVoxelSide + 1}), "kMaxVoxelSide"));
  EXPECT_TRUE(beyond(LinearOctree::of({kMaxVoxelSide + 1, 1, 1}, {}), "kMaxVoxelSide"));
}

TEST(VolumeLimits, RefusesMoreThanKMaxColumns) {
  EXPECT_TRUE(Columns::create({2'048, kMaxColumns / 2'048, 1}));
  EXPECT_TRUE(beyond(Columns::create({2'049, 2'048, 1}), "kMaxColumns"));
  EXPECT_TRUE(beyond(LinearOctree::of({2'049, 2'048, 1}, {}), "kMaxColumns"));
}

// Every other voxel of a column is a span.
Columns striped(const Extent& extent) {
  Columns columns = *Columns::create(extent, kAir);
  std::vector<Span> spans;
  for (std::uint32_t z = 0; z < extent.z; ++z) {
    spans.push_back({static_cast<std::uint16_t>(z + 1), z % 2 == 0 ? kAir : kWater});
  }
  for (std::uint32_t y = 0; y < extent.y; ++y) {
    for (std::uint32_t x = 0; x < extent.x; ++x) columns.assign(x, y, spans);
  }
  return columns;
}

TEST(VolumeLimits, RefusesMoreThanKMaxSpans) {
  Columns columns = striped({64, 63, 4'096});
  ASSERT_TRUE(columns.spans() < kMaxSpans);
  ASSERT_TRUE(columns.set({0, 0, 0, 64, 63, 4'096}, kAir)) << "whole columns need no more";
  columns = striped({64, 64, 4'096});
  ASSERT_EQ(columns.spans(), kMaxSpans);
  EXPECT_TRUE(beyond(columns.set(0, 0, 10, 12, kWall), "kMaxSpans"));
  EXPECT_TRUE(beyond(columns.set({0, 0, 10, 64, 64, 12}, kWall), "kMaxSpans"));
}

// 63 rows of stripes and most of another one, and columns of air alone: what an obstacle adds there
// beyond the limit is taken back.
TEST(VolumeLimits, UndoesChangesBeyondKMaxSpans) {
  Columns columns = striped({64, 65, 4'096});
  ASSERT_TRUE(columns.set({63, 63, 0, 64, 64, 4'096}, kAir));
  ASSERT_TRUE(columns.set({0, 64, 0, 64, 65, 4'096}, kAir));
  ASSERT_EQ(columns.spans(), kMaxSpans - 4'096 + 65);
  const auto ground = *VolumeGround::create(std::move(columns), {});
  const auto stripe = [&](std::uint32_t z) {
    const auto at = static_cast<float>(z);
    return ground->add_obstacle({{{0, 64, at}, {64, 65, at + 1}}, kWater});
  };
  for (std::uint32_t z = 10; z < 10 + 31 * 2; z += 2) ASSERT_TRUE(stripe(z)) << z;
  const Columns before = ground->columns();
  EXPECT_GT(before.spans() + 128, kMaxSpans);
  EXPECT_TRUE(beyond(stripe(200), "kMaxSpans"));
  EXPECT_TRUE(ground->columns() == before);
  EXPECT_TRUE(beyond(ground->set_area({{0, 64, 300}, {64, 65, 301}}, kWater), "kMaxSpans"));
  EXPECT_TRUE(ground->columns() == before);
  EXPECT_TRUE(ground->set_area({{0, 64, 300}, {1, 65, 301}}, kWater)) << "as many as there may be";
}

TEST(VolumeLimits, RefusesMoreThanKMaxOctreeLeaves) {
  const std::vector<LinearOctree::Cube> cubes(kMaxOctreeLeaves + 1);
  EXPECT_TRUE(beyond(LinearOctree::of({512, 512, 512}, cubes), "kMaxOctreeLeaves"));
  // 4,096 columns of 4,096 voxels that differ: as many as there may be, in a root of 2^36 voxels
  // with leaves of its own around them.
  EXPECT_TRUE(beyond(LinearOctree::create(striped({64, 64, 4'096})), "kMaxOctreeLeaves"));
}

// One wall in each cube of 4 x 4 x 4 voxels makes a leaf of it; the layer above has none yet.
TEST(VolumeLimits, UndoesChangesBeyondKMaxLeaves) {
  Columns columns = *Columns::create({1'024, 1'024, 260}, kAir);
  std::vector<Span> spans;
  for (std::uint32_t z = 0; z < 256; z += 4) {
    spans.push_back({static_cast<std::uint16_t>(z + 1), kWall});
    spans.push_back({static_cast<std::uint16_t>(z + 4), kAir});
  }
  spans.back().end = 260;
  for (std::uint32_t y = 0; y < 1'024; y += 4) {
    for (std::uint32_t x = 0; x < 1'024; x += 4) columns.assign(x, y, spans);
  }
  const auto ground = *VolumeGround::create(std::move(columns), {});
  const AgentId id = *ground->add_agent({});
  const Layer& layer = *ground->layer(id);
  ASSERT_EQ(layer.tree().leaves(), kMaxLeaves) << "as many as there may be";
  const std::uint64_t free = layer.free_voxels();
  const Obstacle dot{{{8, 8, 257}, {9, 9, 258}}};
  EXPECT_TRUE(beyond(ground->add_obstacle(dot), "kMaxLeaves"));
  EXPECT_EQ(layer.free_voxels(), free);
  EXPECT_EQ(layer.tree().leaves(), kMaxLeaves);
  EXPECT_TRUE(layer.free({8, 8, 257}));
  EXPECT_EQ(ground->columns().at({8, 8, 257}), kPlain);
  ASSERT_TRUE(ground->set_area({{0, 0, 0}, {64, 64, 64}}, kPlain)) << "gives back some";
  EXPECT_EQ(layer.tree().leaves(), kMaxLeaves - 4'096);
  EXPECT_EQ(layer.parts().count(), 1u);
  EXPECT_TRUE(ground->add_obstacle(dot));
  EXPECT_EQ(layer.tree().leaves(), kMaxLeaves - 4'096 + 1);
}

TEST(VolumeLimits, RefusesAgentsWiderThanKMaxAgentVoxels) {
  const auto ground = *VolumeGround::create(*Columns::create({20, 20, 20}), {});
  Agent agent;
  agent.radius = kMaxAgentVoxels;
  EXPECT_TRUE(ground->add_agent(agent));
  agent.radius = kMaxAgentVoxels + 0.01F;
  EXPECT_TRUE(beyond(ground->add_agent(agent), "kMaxAgentVoxels"));
}

// Walls in every other voxel: a label for nearly each one that is left.
TEST(VolumeLimits, EndsSearchesBeyondKMaxLabels) {
  Columns columns = *Columns::create({256, 256, 64}, kAir);
  std::vector<Span> spans;
  for (std::uint32_t z = 0; z + 1 < 64; z += 2) {
    spans.push_back({static_cast<std::uint16_t>(z + 1), kAir});
    spans.push_back({static_cast<std::uint16_t>(z + 2), kWall});
  }
  for (std::uint32_t y = 0; y < 256; ++y) {
    for (std::uint32_t x = 0; x < 256; ++x) {
      if (x % 2 == 0 && y % 2 == 0) columns.assign(x, y, spans);
    }
  }
  // The goal lies behind a door that only the far end of all of it leads to.
  const auto ground = *VolumeGround::create(std::move(columns), {});
  const AgentId id = *ground->add_agent({});
  ASSERT_TRUE(ground->add_obstacle({{{0, 255, 0}, {255, 256, 64}}}));
  ASSERT_TRUE(ground->add_obstacle({{{0, 254, 0}, {256, 255, 63}}}));
  auto search = ground->make_search();
  Path path;
  const PathRequest request{.from = ground->place({0, 0, 0}),
                            .to = ground->place({255, 255, 0}),
                            .agent = id,
                            .algorithm = Algorithm::dijkstra};
  EXPECT_TRUE(beyond(search->find(request, path), "kMaxLabels", Errc::too_many));
  EXPECT_EQ(search->path(path).error(), Errc::ok) << "as near as was found";
  EXPECT_FALSE(path.complete);
}

TEST(VolumeLimits, RefusesRadiiBeyondKMaxVoxelsAround) {
  const auto ground = *VolumeGround::create(*Columns::create({9, 9, 9}), {});
  const AgentId id = *ground->add_agent({});
  const Place here = ground->place({4, 4, 4});
  EXPECT_TRUE(ground->random_point_near(here, kMaxVoxelsAround, id, 1));
  EXPECT_TRUE(
      beyond(ground->random_point_near(here, kMaxVoxelsAround + 1, id, 1), "kMaxVoxelsAround"));
}

TEST(VolumeLimits, RefusesMoreThanKMaxCorners) {
  Columns columns = *Columns::create({2, 2, 2});
  const Frame frame{{}, 1, {2, 2, 2}};
  const std::vector<Point> corners(kMaxCorners + 3, Point{9, 9, 9});
  EXPECT_TRUE(fill_triangles(columns, frame, std::span(corners).first(kMaxCorners)));
  EXPECT_TRUE(beyond(fill_triangles(columns, frame, corners), "kMaxCorners"));
}

// Links as dear as can be, one after the other, between rooms that nothing else joins.
TEST(VolumeLimits, EndsPathsBeyondKMaxPathCost) {
  Columns columns = *Columns::create({20, 1, 1}, kAir);
  for (std::uint32_t x = 1; x < 20; x += 2) ASSERT_TRUE(columns.set(x, 0, 0, 1, kWall));
  const auto ground = *VolumeGround::create(std::move(columns), {});
  Agent agent;
  agent.costs[9] = kMaxAreaCost;
  const AgentId id = *ground->add_agent(agent);
  for (std::uint16_t x = 0; x + 2 < 20; x += 2) {
    ASSERT_TRUE(ground->add_link({.from = ground->place({x, 0, 0}),
                                  .to = ground->place({static_cast<std::uint16_t>(x + 2), 0, 0}),
                                  .cost = kMaxLinkCost,
                                  .area = 9}));
  }
  auto search = ground->make_search();
  Path path;
  PathRequest request{
      .from = ground->place({0, 0, 0}), .to = ground->place({10, 0, 0}), .agent = id};
  ASSERT_TRUE(search->find(request, path));
  EXPECT_EQ(path.cost, std::uint64_t{5} * kMaxLinkCost * kMaxAreaCost);
  request.to = ground->place({12, 0, 0});
  EXPECT_EQ(search->find(request, path).error(), Errc::too_far);
}

TEST(VolumeLimits, RefusesTooManyAgentsObstaclesAndLinks) {
  const auto ground = *VolumeGround::create(*Columns::create({2, 2, 2}), {});
  Agent agent;
  for (std::uint32_t i = 0; i < kMaxAgents; ++i) {
    agent.costs[5] = static_cast<std::uint8_t>(i + 1);
    ASSERT_TRUE(ground->add_agent(agent));
  }
  agent.costs[5] = 99;
  EXPECT_TRUE(beyond(ground->add_agent(agent), "kMaxAgents", Errc::too_many));
  const Obstacle far{{{9, 9, 9}, {9, 9, 9}}};
  for (std::uint32_t i = 0; i < kMaxObstacles; ++i) ASSERT_TRUE(ground->add_obstacle(far));
  EXPECT_TRUE(beyond(ground->add_obstacle(far), "kMaxObstacles", Errc::too_many));
  Link link{.from = ground->place({0, 0, 0}), .to = ground->place({1, 0, 0}), .cost = kMaxLinkCost};
  for (std::uint32_t i = 0; i < kMaxLinks; ++i) ASSERT_TRUE(ground->add_link(link));
  EXPECT_TRUE(beyond(ground->add_link(link), "kMaxLinks", Errc::too_many));
  link.cost = kMaxLinkCost + 1;
  EXPECT_TRUE(beyond(ground->add_link(link), "kMaxLinkCost"));
  agent.costs[5] = kMaxAreaCost + 1;
  EXPECT_TRUE(beyond(ground->add_agent(agent), "kMaxAreaCost"));
  EXPECT_TRUE(beyond(ground->set_area({}, kMaxArea + 1), "kMaxArea"));
}

}  // namespace
}  // namespace starbus::nav::volume::test
