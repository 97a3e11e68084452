/// Terrains that tests bake: floors, ramps, storeys, bridges, holes and hills.
#pragma once

#include <memory>

#include "nav/mesh/bake.hpp"
#include "nav/mesh/mesh_ground.hpp"
#include "nav/mesh/tiles.hpp"

namespace starbus::nav::mesh::test {

/// Puts a terrain together. Sides are given by their low and high corner.
class World {
 public:
  /// A level rectangle. By default of the material "", which is plain.
  World& floor(float x0, float y0, float x1, float y1, float z, const char* material = "");
  /// Rises from z0 to z1 along x.
  World& ramp_x(float x0, float y0, float x1, float y1, float z0, float z1);
  /// Rises from z0 to z1 along y.
  World& ramp_y(float x0, float y0, float x1, float y1, float z0, float z1);
  /// Solid: a top and four sides.
  World& block(float x0, float y0, float x1, float y1, float z0, float z1);
  /// Steps along x, each so wide and so high.
  World& stairs(float x, float y0, float y1, float z, int count, float width, float height);
  /// Squares of 2 m, whose corners rise by chance up to so many metres.
  World& hills(std::uint64_t seed, float x0, float y0, int columns, int rows, float most);

  const Terrain& terrain() const { return terrain_; }

 private:
  void quad(Point a, Point b, Point c, Point d, const char* material = "");

  Terrain terrain_;
};

/// 48 m x 32 m, with nearly everything: a hole, hills, a wall with a gap, water, two storeys that a
/// ramp joins, a bridge above a road, and a platform that nobody can get to.
World valley();
/// Rows of rooms with doors in most walls; some are shut.
World rooms(std::uint64_t seed, int columns, int rows);

/// The options of most tests: those that are the default, but for smaller tiles.
BakeOptions small_tiles();

Baked bake(const World& world, const BakeOptions& options = small_tiles(), const Paint& paint = {});
std::unique_ptr<MeshGround> ground_of(const World& world,
                                      const BakeOptions& options = small_tiles(),
                                      const Paint& paint = {}, const Areas& areas = {});

/// The place nearest to a point, 1 m around; a test fails if there is none.
Place at(const MeshGround& ground, AgentId agent, Point point);
/// Whether a point lies on a polygon that the agent passes, but for 2 cm in the plane and for what
/// the ground's shape may differ from its polygons.
bool on_mesh(const MeshGround& ground, AgentId agent, const Point& point);

/// The least cost, in metres, from one place to each polygon's ways and to a goal: a plain Dijkstra
/// over the middles of shared edges, written from the contract.
double least_cost(const MeshGround& ground, AgentId agent, const Place& from, const Place& to);

}  // namespace starbus::nav::mesh::test
