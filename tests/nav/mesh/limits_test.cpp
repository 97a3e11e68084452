/// Reaches each limit of navmeshes: what is beyond is refused, with the limit's name.
#include "nav/mesh/limits.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "nav/formats/obj.hpp"
#include "nav/limits.hpp"
#include "tests/nav/mesh/world.hpp"

namespace starbus::nav::mesh::test {
namespace {

template <class Value>
bool beyond(const Result<Value>& result, std::string_view limit, Errc code = Errc::too_large) {
  return result.error() == code && result.error().detail.ends_with(limit);
}

Result<Bake> bake_of(const World& world, const BakeOptions& options = {}, const Paint& paint = {}) {
  return Bake::create(world.terrain(), options, paint);
}

World square(float side) {
  World world;
  world.floor(0, 0, side, side, 0);
  return world;
}

TEST(MeshLimits, RefusesTextsBeyondKMaxObjBytes) {
  // None of it is looked at.
  const char one = ' ';
  EXPECT_TRUE(beyond(formats::read_obj({&one, kMaxObjBytes + 1}), "kMaxObjBytes"));
}

TEST(MeshLimits, RefusesMoreThanKMaxTriangles) {
  Terrain terrain = square(4).terrain();
  terrain.triangles.assign(kMaxTriangles + 1, terrain.triangles[0]);
  EXPECT_TRUE(beyond(Bake::create(terrain, {}, {}), "kMaxTriangles", Errc::too_many));
  std::string text = "v 0 0 0\n";
  const std::uint32_t each = kMaxFaceCorners - 2;
  std::string face = "f";
  for (std::uint32_t i = 0; i < kMaxFaceCorners; ++i) face += " 1";
  face += "\n";
  for (std::uint32_t i = 0; i <= kMaxTriangles / each; ++i) text += face;
  EXPECT_TRUE(beyond(formats::read_obj(text), "kMaxTriangles", Errc::too_many));
}

TEST(MeshLimits, RefusesMoreThanKMaxMaterials) {
  Terrain terrain = square(4).terrain();
  terrain.materials.resize(kMaxMaterials + 1);
  EXPECT_TRUE(beyond(Bake::create(terrain, {}, {}), "kMaxMaterials", Errc::too_many));
  std::string text;
  for (std::uint32_t i = 1; i < kMaxMaterials; ++i) text += "usemtl m" + std::to_string(i) + "\n";
  EXPECT_TRUE(formats::read_obj(text));
  EXPECT_TRUE(beyond(formats::read_obj(text + "usemtl x\n"), "kMaxMaterials", Errc::too_many));
}

TEST(MeshLimits, RefusesPointsBeyondKMaxCoordinate) {
  World world = square(4);
  world.floor(kMaxCoordinate, 0, kMaxCoordinate + 1, 4, 0);
  EXPECT_TRUE(beyond(bake_of(world), "kMaxCoordinate", Errc::bad_position));
}

TEST(MeshLimits, RefusesMoreThanKMaxTiles) {
  BakeOptions options;
  options.tile_cells = 16;  // 4 m
  EXPECT_TRUE(bake_of(square(256), options));
  EXPECT_TRUE(beyond(bake_of(square(257), options), "kMaxTiles", Errc::too_many));
}

TileMesh triangles(std::uint32_t count) {
  TileMesh mesh;
  mesh.corners = {0, 0, 0, 0, 0, 4, 4, 0, 0};
  for (std::uint32_t i = 0; i < count; ++i) {
    mesh.polygons.insert(mesh.polygons.end(), {0, 1, 2});
    mesh.polygons.insert(mesh.polygons.end(), 9, kNone);
    mesh.areas.push_back(kPlain);
  }
  return mesh;
}

TEST(MeshLimits, RefusesMoreThanKMaxTilePolygons) {
  const Layout layout = *layout_of({}, {0, 0, 0}, {4, 4, 0});
  EXPECT_TRUE(check(triangles(kMaxTilePolygons), layout.box(0)));
  EXPECT_TRUE(beyond(check(triangles(kMaxTilePolygons + 1), layout.box(0)), "kMaxTilePolygons",
                     Errc::too_many));
}

TEST(MeshLimits, RefusesMoreThanKMaxPolygons) {
  BakeOptions options;
  options.dynamic = false;
  Baked baked;
  baked.layout = *layout_of(options, {0, 0, 0}, {320, 320, 0});
  baked.tiles.resize(baked.layout.tiles());
  const std::uint32_t full = kMaxPolygons / kMaxTilePolygons;
  ASSERT_GT(baked.tiles.size(), full + 1);
  for (std::uint32_t i = 0; i < full; ++i) baked.tiles[i].mesh = triangles(kMaxTilePolygons);
  baked.tiles[full].mesh = triangles(kMaxPolygons % kMaxTilePolygons);
  EXPECT_TRUE(check(baked));
  baked.tiles[full + 1].mesh = triangles(1);
  EXPECT_TRUE(beyond(check(baked), "kMaxPolygons", Errc::too_many));
}

TEST(MeshLimits, RefusesOptionsBeyondTheirRanges) {
  const auto refused = [](std::string_view name, auto&& change) {
    BakeOptions options;
    change(options);
    const auto fine = check(options);
    return fine.error() == Errc::bad_option && fine.error().detail.starts_with(name);
  };
  EXPECT_TRUE(check(BakeOptions{}));
  EXPECT_TRUE(refused("tile_cells", [](auto& of) { of.tile_cells = kMaxTileCells + 1; }));
  EXPECT_TRUE(refused("tile_cells", [](auto& of) { of.tile_cells = 15; }));
  EXPECT_TRUE(refused("cell_size", [](auto& of) { of.cell_size = 0.04F; }));
  EXPECT_TRUE(refused("cell_size", [](auto& of) { of.cell_size = NAN; }));
  EXPECT_TRUE(refused("cell_height", [](auto& of) { of.cell_height = 0.7F; }));
  EXPECT_TRUE(refused("agent_height", [](auto& of) { of.agent_height = 30; }));
  EXPECT_TRUE(refused("agent_height", [](auto& of) {
    of.agent_height = 20;
    of.cell_height = 0.05F;
  }));
  EXPECT_TRUE(refused("agent_radius", [](auto& of) { of.agent_radius = -1; }));
  EXPECT_TRUE(refused("agent_radius", [](auto& of) { of.agent_radius = 9; }));
  EXPECT_TRUE(refused("agent_climb", [](auto& of) { of.agent_climb = 2; }));
  EXPECT_TRUE(refused("agent_slope", [](auto& of) { of.agent_slope = 90; }));
  EXPECT_TRUE(refused("min_region", [](auto& of) { of.min_region = 1e6F; }));
  EXPECT_TRUE(refused("merge_region", [](auto& of) { of.merge_region = -1; }));
  EXPECT_TRUE(refused("edge_length", [](auto& of) { of.edge_length = 0.5F; }));
  EXPECT_TRUE(refused("edge_error", [](auto& of) { of.edge_error = 0; }));
  EXPECT_TRUE(refused("detail_distance", [](auto& of) { of.detail_distance = 0.1F; }));
  EXPECT_TRUE(refused("detail_error", [](auto& of) { of.detail_error = 0; }));
  EXPECT_TRUE(refused("regions", [](auto& of) { of.regions = static_cast<Regions>(3); }));
}

TEST(MeshLimits, RefusesTerrainsHigherThanKMaxHeightCells) {
  World world = square(4);
  world.floor(0, 0, 4, 4, 819);
  EXPECT_TRUE(bake_of(world));
  world.floor(0, 0, 4, 4, 820);
  EXPECT_TRUE(beyond(bake_of(world), "kMaxHeightCells"));
}

TEST(MeshLimits, RefusesMoreThanKMaxColumnSpans) {
  World world;
  for (std::uint32_t i = 0; i <= kMaxColumnSpans; ++i) {
    if (i == kMaxColumnSpans) {
      EXPECT_TRUE(bake_of(world)->run());
    }
    world.floor(0, 0, 4, 4, 3 * static_cast<float>(i));
  }
  EXPECT_TRUE(beyond(bake_of(world)->run(), "kMaxColumnSpans", Errc::too_many));
}

TEST(MeshLimits, RefusesMoreThanKMaxTileSpans) {
  World world;
  for (int i = 0; i < 16; ++i) world.floor(0, 0, 70, 70, 3 * static_cast<float>(i));
  BakeOptions options;
  options.tile_cells = kMaxTileCells;
  EXPECT_TRUE(beyond(bake_of(world, options)->tile(0), "kMaxTileSpans", Errc::too_many));
}

TEST(MeshLimits, RefusesMoreThanKMaxVolumes) {
  const Volume volume{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, 0, 1, 2};
  Paint paint;
  paint.volumes.assign(kMaxVolumes, volume);
  EXPECT_TRUE(check(paint));
  paint.volumes.push_back(volume);
  EXPECT_TRUE(beyond(check(paint), "kMaxVolumes", Errc::too_many));
}

TEST(MeshLimits, RefusesMoreThanKMaxVolumeCorners) {
  Paint paint;
  paint.volumes.emplace_back();
  for (std::uint32_t i = 0; i <= kMaxVolumeCorners; ++i) {
    const double turn = 6.28 * i / (kMaxVolumeCorners + 1);
    paint.volumes[0].outline.push_back(
        {static_cast<float>(10 * std::cos(turn)), static_cast<float>(10 * std::sin(turn)), 0});
  }
  EXPECT_TRUE(beyond(check(paint), "kMaxVolumeCorners", Errc::too_many));
  paint.volumes[0].outline.pop_back();
  EXPECT_TRUE(check(paint));
  paint.volumes[0].area = kMaxArea + 1;
  EXPECT_TRUE(beyond(check(paint), "kMaxArea"));
}

TEST(MeshLimits, RefusesFilesBeyondKMaxMeshBytes) {
  const char one = ' ';
  EXPECT_TRUE(beyond(decode({&one, kMaxMeshBytes + 1}), "kMaxMeshBytes"));
}

TEST(MeshLimits, RefusesRadiiBeyondKMaxNear) {
  const auto ground = ground_of(square(8));
  const AgentId agent = *ground->add_agent({});
  const Place at = *ground->nearest({4, 4, 0}, {}, agent);
  EXPECT_TRUE(ground->random_point_near(at, kMaxNear, agent, 1));
  EXPECT_TRUE(beyond(ground->random_point_near(at, kMaxNear + 1, agent, 1), "kMaxNear"));
}

TEST(MeshLimits, RefusesMoreObstaclesLinksAndAgentsThanAGroundHas) {
  const auto ground = ground_of(square(8));
  const AgentId agent = *ground->add_agent({});
  const Obstacle away{{{100, 0, 0}, {101, 1, 1}}, kWall};
  for (std::uint32_t i = 0; i < kMaxObstacles; ++i) ASSERT_TRUE(ground->add_obstacle(away));
  EXPECT_TRUE(beyond(ground->add_obstacle(away), "kMaxObstacles", Errc::too_many));
  const Link link{*ground->nearest({2, 2, 0}, {}, agent), *ground->nearest({5, 5, 0}, {}, agent),
                  9};
  for (std::uint32_t i = 0; i < kMaxLinks; ++i) ASSERT_TRUE(ground->add_link(link));
  EXPECT_TRUE(beyond(ground->add_link(link), "kMaxLinks", Errc::too_many));
  Agent other;
  for (std::uint32_t i = 1; i < kMaxAgents; ++i) {
    other.costs[2] = static_cast<std::uint8_t>(1 + i);
    ASSERT_TRUE(ground->add_agent(other));
  }
  other.exclude = 2;
  EXPECT_TRUE(beyond(ground->add_agent(other), "kMaxAgents", Errc::too_many));
  other.costs[3] = kMaxAreaCost + 1;
  EXPECT_TRUE(beyond(ground->add_agent(other), "kMaxAreaCost"));
}

}  // namespace
}  // namespace starbus::nav::mesh::test
