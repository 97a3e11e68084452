/// TileMesh: the polygons of one tile, in numbers of ours: what files have of them, and what
/// Detour's tiles are made of. Detour trusts its tiles; so each TileMesh is checked before one is
/// made.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "nav/error.hpp"

namespace starbus::nav::mesh {

/// Corners of a polygon at most.
inline constexpr int kCorners = 6;
/// Instead of a number of a corner or a neighbour.
inline constexpr std::uint16_t kNone = 0xffff;
/// Instead of a neighbour: the border of the tile, with its side 0..3 (-x, +y, +x, -y).
inline constexpr std::uint16_t kBorder = 0x8000;

struct TileMesh {
  /// By corner: x, height and y in cells from the low corner of the tile.
  std::vector<std::uint16_t> corners;
  /// By polygon: kCorners numbers of corners, then as many of neighbours, by the edge that begins
  /// at a corner.
  std::vector<std::uint16_t> polygons;
  std::vector<std::uint8_t> areas;  ///< by polygon
  // Triangles of the height within polygons.
  std::vector<std::uint32_t> details;   ///< by polygon: first point and points, first triangle
                                        ///< and triangles
  std::vector<float> points;            ///< by point: x, height, y in metres
  std::vector<std::uint8_t> triangles;  ///< by triangle: three points of its polygon, and flags

  std::size_t count() const { return areas.size(); }
  friend bool operator==(const TileMesh&, const TileMesh&) = default;
};

/// How many corners a polygon has.
int corners_of(const TileMesh& mesh, std::size_t polygon);

/// Where the tile lies, for check.
struct TileBox {
  float low[3];  ///< x, height, y
  float high[3];
  int cells = 0;         ///< along a side
  int height_cells = 0;  ///< from low to high, and what rounding may add
};

/// Beyond its box a point of the height may lie so far, in metres.
inline constexpr float kSlack = 1;

/// corrupt if anything in it could lead Detour astray: numbers out of range, neighbours that do not
/// share an edge, polygons that are not convex, heights that are no numbers.
Result<void> check(const TileMesh& mesh, const TileBox& box);
/// Takes out polygons that are not convex: what is made of voxels has one now and then.
void drop_twisted(TileMesh& mesh);

/// Its bytes, as take_tile_mesh reads them.
void append(std::string& out, const TileMesh& mesh);
/// Takes one from the front of `bytes`; corrupt. It is not checked yet.
Result<TileMesh> take_tile_mesh(std::string_view& bytes);

}  // namespace starbus::nav::mesh
