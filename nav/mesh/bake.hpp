/// Bake: makes a navmesh of a terrain, tile by tile. Read nav/mesh/mesh_ground.hpp for what is done
/// with it.
///
///   auto bake = *mesh::Bake::create(std::move(terrain), {.agent_radius = 0.6F}, {});
///   mesh::Baked baked = *bake.run();
///   write_file("valley.mesh", encode(baked));
///
/// It has no threads: a caller that has some gives each a few tiles, and puts together what they
/// answer, in whatever order. The bytes are the same.
#pragma once

#include <functional>

#include "nav/mesh/baked.hpp"
#include "nav/mesh/terrain.hpp"

namespace starbus::nav::mesh {

/// A triangle that is no ground, but would be with a larger agent_slope.
struct Slope {
  Point middle;
  double degrees = 0;
  double area = 0;  ///< m2
};

/// What came of a bake.
struct BakeReport {
  std::uint32_t tiles = 0;  ///< that have ground
  std::uint32_t polygons = 0;
  std::uint32_t islands = 0;  ///< parts that no ground joins
  std::uint32_t triangles = 0;
  std::uint32_t steep = 0;  ///< triangles that are no ground, for their slope
  double steep_area = 0;    ///< m2 of them
  /// Those of them that some agent_slope within its range would make ground: the largest first.
  std::vector<Slope> slopes;
};

/// Owns the terrain. Once made it does not change: any thread may ask for tiles.
class Bake {
 public:
  /// Told how many tiles are done, and of how many; false ends the bake.
  using Progress = std::function<bool(std::uint32_t done, std::uint32_t of)>;

  /// bad_option, bad_position, too_large, too_many; corrupt if a triangle names a point or a
  /// material that there is not.
  static Result<Bake> create(Terrain terrain, const BakeOptions& options, const Paint& paint);

  const Layout& layout() const { return layout_; }
  /// One tile, by its number below layout().tiles(). too_many, corrupt: as polygons of a tile.
  Result<BakedTile> tile(std::uint32_t number) const;
  /// All tiles, one after the other. not_ready if `progress` has ended it.
  Result<Baked> run(const Progress& progress = {}) const;
  /// Of what run has returned, or of tiles that were put together.
  BakeReport report(const Baked& baked) const;

 private:
  Bake() = default;
  void sort();
  std::vector<Slope> lost_slopes() const;

  Terrain terrain_;
  Paint paint_;
  Layout layout_;
  std::vector<Area> areas_;              ///< by triangle; kWall: not to be walked on
  std::vector<std::uint32_t> first_;     ///< by tile, of touching_; and the end
  std::vector<std::uint32_t> touching_;  ///< triangles that touch a tile or its border
  std::uint32_t steep_ = 0;
  double steep_area_ = 0;
};

}  // namespace starbus::nav::mesh
