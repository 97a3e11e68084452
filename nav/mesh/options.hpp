/// How a navmesh is baked. Plain values, each with its unit and its range; what lies beyond is
/// bad_option, with the option's name.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "nav/error.hpp"
#include "nav/types.hpp"

namespace starbus::nav::mesh {

/// How ground is cut into regions, which polygons are made of.
enum class Regions : std::uint8_t {
  watershed,  ///< the best shapes
  monotone,   ///< the fastest: long and thin ones
  layers,     ///< as fast; regions never lie above each other, as they may on spiral stairs
};

/// Degrees: no agent_slope is larger.
inline constexpr float kSteepest = 85;

/// What a tile is built with, when it is baked and when an obstacle changes it.
struct BakeOptions {
  float cell_size = 0.25F;    ///< m, 0.05..4: the side of a voxel; narrower gaps are lost
  float cell_height = 0.1F;   ///< m, 0.01..2, at most a third of agent_height
  float agent_height = 2;     ///< m, 0.1..20: less room above is no ground; at most 255 cells
  float agent_radius = 0.5F;  ///< m, 0..16 and at most 32 cells: what is nearer to walls is none
  float agent_climb = 0.5F;   ///< m, 0..10 and below agent_height: the highest step
  float agent_slope = 45;     ///< degrees, 0..kSteepest: steeper triangles are no ground
  float min_region = 2;       ///< m2, 0..10,000: a smaller island within a tile is left out
  float merge_region = 20;    ///< m2, 0..10,000: a smaller region joins a neighbour
  float edge_length = 12;     ///< m, 0 or 1..1,000: longer edges along walls are cut; 0: never
  float edge_error = 1.3F;    ///< cells, 0.1..10: how far an edge may lie from the voxels
  float detail_distance = 2;  ///< m, 0 or 0.5..100: between samples of the height; 0: none
  float detail_error = 0.2F;  ///< m, 0.01..10: how far the height may be from the voxels
  std::uint32_t tile_cells = 64;  ///< 16..kMaxTileCells along the side of a tile
  Regions regions = Regions::watershed;
  /// Keeps the voxels, so that obstacles and set_area can change tiles; otherwise both are
  /// bad_option.
  bool dynamic = true;
  friend bool operator==(const BakeOptions&, const BakeOptions&) = default;
};

/// An upright prism whose ground has an area of its own: a lake, a road; kWall: no ground.
struct Volume {
  std::vector<Point> outline;  ///< of a convex polygon in the plane: 3..kMaxVolumeCorners
  float low = 0;               ///< m, height
  float high = 0;
  Area area = kPlain;
};

/// What ground is like.
struct Paint {
  /// By the name of a material; kWall: triangles of it are in the way, and not walked on. A
  /// material without an entry is kPlain. Where triangles lie within a step of each other, the
  /// highest area counts.
  std::vector<std::pair<std::string, Area>> materials;
  /// In their order: the last one counts.
  std::vector<Volume> volumes;
};

/// The same in voxels. Plain value.
struct Steps {
  int height = 0;  ///< cells of room
  int climb = 0;
  int radius = 0;
  int border = 0;  ///< around a tile: it is built with what lies there
  int side = 0;    ///< of a tile with its borders
};

/// bad_option with the name of the first option that is beyond its range.
Result<void> check(const BakeOptions& options);
/// bad_option, bad_position, too_large, too_many.
Result<void> check(const Paint& paint);
/// For options that were checked.
Steps steps_of(const BakeOptions& options);

}  // namespace starbus::nav::mesh
