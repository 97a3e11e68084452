/// What a bake makes of terrain, and that it always makes the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/nav/mesh/world.hpp"

namespace starbus::nav::mesh::test {
namespace {

bool joined(const World& world, const BakeOptions& options, Point from, Point to) {
  const auto ground = ground_of(world, options);
  const AgentId agent = *ground->add_agent({});
  return ground->reachable(at(*ground, agent, from), at(*ground, agent, to), agent);
}

TEST(MeshBake, KeepsTheAgentsRadiusFromABox) {
  World world;
  world.floor(0, 0, 10, 10, 0).block(4.5F, 4.5F, 5.5F, 5.5F, 0, 2);
  const auto ground = ground_of(world);
  const AgentId agent = *ground->add_agent({});
  const float radius = ground->layout().options.agent_radius;
  Path path;
  ASSERT_TRUE(ground->make_search()->find(
      {.from = at(*ground, agent, {2, 5, 0}), .to = at(*ground, agent, {8, 5, 0}), .agent = agent},
      path));
  EXPECT_TRUE(path.complete);
  ASSERT_GE(path.points.size(), 3u) << "around the box";
  // An edge may lie edge_error cells from the voxels that it was drawn around.
  const double slack = 1.3 * 0.25;
  for (std::size_t i = 1; i < path.points.size(); ++i) {
    for (int step = 0; step <= 50; ++step) {
      const Point& a = path.points[i - 1];
      const Point& b = path.points[i];
      const double part = step / 50.0;
      const double x = std::max(std::fabs(a.x + (b.x - a.x) * part - 5) - 0.5, 0.0);
      const double y = std::max(std::fabs(a.y + (b.y - a.y) * part - 5) - 0.5, 0.0);
      ASSERT_GE(std::hypot(x, y), radius - slack);
    }
  }
}

TEST(MeshBake, ClimbsStepsUpToTheAgentsClimb) {
  World world;
  world.floor(0, 0, 6, 8, 0).stairs(6, 0, 8, 0, 4, 1, 0.3F).block(10, 0, 16, 8, 0, 1.2F);
  BakeOptions options = small_tiles();
  options.agent_climb = 0.4F;
  EXPECT_TRUE(joined(world, options, {3, 4, 0}, {13, 4, 1.2F}));
  options.agent_climb = 0.2F;
  EXPECT_FALSE(joined(world, options, {3, 4, 0}, {13, 4, 1.2F}));
}

TEST(MeshBake, LeavesOutWhatIsTooSteep) {
  World world;
  world.floor(0, 0, 6, 8, 0).ramp_x(6, 0, 12, 8, 0, 4).floor(12, 0, 18, 8, 4);  // 34 degrees
  BakeOptions options = small_tiles();
  EXPECT_TRUE(joined(world, options, {3, 4, 0}, {15, 4, 4}));
  options.agent_slope = 30;
  EXPECT_FALSE(joined(world, options, {3, 4, 0}, {15, 4, 4}));
  const Bake bake = *Bake::create(world.terrain(), options, {});
  const Baked baked = *bake.run();
  const BakeReport report = bake.report(baked);
  EXPECT_EQ(report.steep, 2u);
  EXPECT_NEAR(report.steep_area, 8 * std::hypot(6, 4), 0.01);
  ASSERT_EQ(report.slopes.size(), 2u);
  for (const Slope& slope : report.slopes) {
    EXPECT_NEAR(slope.degrees, 33.69, 0.01);
    EXPECT_NEAR(slope.area, 4 * std::hypot(6, 4), 0.01);
    EXPECT_NEAR(slope.middle.x, 9, 2);
  }
  EXPECT_EQ(report.islands, 2u);
  EXPECT_EQ(report.triangles, 6u);
  EXPECT_GT(report.polygons, 0u);
  EXPECT_EQ(report.tiles, baked.tiles.size());
}

TEST(MeshBake, WallsAreNoLostSlopes) {
  World world;
  world.floor(0, 0, 10, 10, 0).block(4, 4, 6, 6, 0, 3);
  const Bake bake = *Bake::create(world.terrain(), small_tiles(), {});
  const BakeReport report = bake.report(*bake.run());
  EXPECT_EQ(report.steep, 8u);
  EXPECT_TRUE(report.slopes.empty());
}

TEST(MeshBake, LeavesOutWhatIsTooLowToStandIn) {
  World world;
  world.floor(0, 0, 20, 6, 0).block(8, 0, 12, 6, 1.5F, 3);  // a beam across
  world.floor(8, 0, 12, 6, 1.5F);
  BakeOptions options = small_tiles();
  EXPECT_FALSE(joined(world, options, {3, 3, 0}, {17, 3, 0}));
  options.agent_height = 1.2F;
  EXPECT_TRUE(joined(world, options, {3, 3, 0}, {17, 3, 0}));
}

TEST(MeshBake, GivesAreasByMaterialAndByVolume) {
  World world;
  world.floor(0, 0, 10, 10, 0).floor(10, 0, 20, 10, 0, "water").floor(20, 0, 30, 10, 0, "lava");
  Paint paint;
  paint.materials = {{"water", 3}, {"lava", kWall}};
  paint.volumes.push_back({{{2, 2, 0}, {6, 2, 0}, {6, 6, 0}, {2, 6, 0}}, -1, 1, 7});
  const auto ground = ground_of(world, small_tiles(), paint);
  const AgentId agent = *ground->add_agent({});
  const auto area = [&](float x, float y) {
    const auto place = ground->nearest({x, y, 0}, {0, 0, 0}, agent);
    return place ? ground->area_at(*place) : kWall;
  };
  EXPECT_EQ(area(8, 8), kPlain);
  EXPECT_EQ(area(4, 4), 7);
  EXPECT_EQ(area(15, 5), 3);
  EXPECT_EQ(area(25, 5), kWall);
}

TEST(MeshBake, LeavesOutSmallIslands) {
  World world;
  world.floor(0, 0, 6, 6, 0).block(7, 2, 9, 4, 0, 3);
  BakeOptions options;
  options.agent_radius = 0.25F;
  options.min_region = 1;
  const auto islands = [&] {
    const Bake bake = *Bake::create(world.terrain(), options, {});
    return bake.report(*bake.run()).islands;
  };
  EXPECT_EQ(islands(), 2u);
  options.min_region = 4;
  EXPECT_EQ(islands(), 1u);
}

TEST(MeshBake, MakesTheSameBytesInAnyOrderOfTiles) {
  for (const Regions regions : {Regions::watershed, Regions::monotone, Regions::layers}) {
    BakeOptions options = small_tiles();
    options.regions = regions;
    const Bake bake = *Bake::create(valley().terrain(), options, {});
    const std::string once = encode(*bake.run());
    EXPECT_EQ(once, encode(*bake.run()));
    Baked backwards{bake.layout(), std::vector<BakedTile>(bake.layout().tiles())};
    ASSERT_GT(bake.layout().tiles(), 4u);
    for (std::uint32_t i = bake.layout().tiles(); i-- > 0;) backwards.tiles[i] = *bake.tile(i);
    EXPECT_EQ(once, encode(backwards));
  }
}

TEST(MeshBake, TellsItsProgressAndCanBeEnded) {
  const Bake bake = *Bake::create(valley().terrain(), small_tiles(), {});
  std::vector<std::uint32_t> told;
  ASSERT_TRUE(bake.run([&](std::uint32_t done, std::uint32_t of) {
    EXPECT_EQ(of, bake.layout().tiles());
    told.push_back(done);
    return true;
  }));
  ASSERT_EQ(told.size(), bake.layout().tiles());
  EXPECT_TRUE(std::ranges::is_sorted(told));
  EXPECT_EQ(bake.run([](std::uint32_t done, std::uint32_t) { return done < 2; }).error(),
            Errc::not_ready);
}

TEST(MeshBake, JoinsTilesWhereverTheirBordersLie) {
  World world;
  world.hills(3, 0, 0, 20, 20, 0.6F);
  for (const std::uint32_t cells : {16u, 23u, 48u, 100u, 256u}) {
    BakeOptions options;
    options.tile_cells = cells;
    const Bake bake = *Bake::create(world.terrain(), options, {});
    EXPECT_EQ(bake.report(*bake.run()).islands, 1u) << cells;
  }
}

TEST(MeshBake, WorksWithoutSamplesOfTheHeight) {
  BakeOptions options = small_tiles();
  options.detail_distance = 0;
  const auto ground = ground_of(valley(), options);
  const AgentId agent = *ground->add_agent({});
  EXPECT_TRUE(
      ground->reachable(at(*ground, agent, {2, 2, 0}), at(*ground, agent, {37, 7, 4}), agent));
}

TEST(MeshBake, RefusesTerrainThatIsNone) {
  Terrain terrain = World().floor(0, 0, 4, 4, 0).terrain();
  EXPECT_EQ(Bake::create({}, {}, {}).error(), Errc::bad_option);
  terrain.triangles[0].corners[2] = 99;
  EXPECT_EQ(Bake::create(terrain, {}, {}).error(), Errc::corrupt);
  terrain.triangles[0] = {{0, 1, 2}, 9};
  EXPECT_EQ(Bake::create(terrain, {}, {}).error(), Errc::corrupt);
  terrain.triangles[0] = {{0, 1, 2}, 0};
  terrain.points[3].z = NAN;
  EXPECT_EQ(Bake::create(terrain, {}, {}).error(), Errc::bad_position);
  Paint paint;
  paint.volumes.push_back({{{0, 0, 0}, {1, 0, 0}, {0.2F, 0.2F, 0}, {0, 1, 0}}, 0, 1, 2});
  EXPECT_EQ(check(paint).error(), Errc::bad_option) << "it has a dent";
}

}  // namespace
}  // namespace starbus::nav::mesh::test
