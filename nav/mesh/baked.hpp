/// Baked: a navmesh as it comes from a bake and from a file: the polygons of its tiles, and their
/// voxels. Plain values; a MeshGround is made of one.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "nav/error.hpp"
#include "nav/mesh/options.hpp"
#include "nav/mesh/tile_mesh.hpp"
#include "nav/types.hpp"

namespace starbus::nav::mesh {

/// Where a mesh lies, and how it was built.
struct Layout {
  BakeOptions options;
  Point low;                  ///< the lowest corner of its terrain, where tile 0 begins
  Point high;                 ///< the highest
  std::uint32_t columns = 0;  ///< of tiles, along x
  std::uint32_t rows = 0;     ///< along y

  std::uint32_t tiles() const { return columns * rows; }
  /// The box of a tile, without its border.
  TileBox box(std::uint32_t tile) const;
  friend bool operator==(const Layout&, const Layout&) = default;
};

/// A layout for a terrain between two corners. bad_option, bad_position, too_large, too_many.
Result<Layout> layout_of(const BakeOptions& options, Point low, Point high);

/// What one tile has in a file.
struct BakedTile {
  TileMesh mesh;
  std::string voxels;  ///< packed; empty if the mesh is not dynamic
  friend bool operator==(const BakedTile&, const BakedTile&) = default;
};

struct Baked {
  Layout layout;
  std::vector<BakedTile> tiles;  ///< by number: column + row * columns
  friend bool operator==(const Baked&, const Baked&) = default;
};

/// corrupt with what is wrong and in which tile; too_many. What passes can be made a ground of.
Result<void> check(const Baked& baked);

/// What the bytes of a file begin with.
inline constexpr std::string_view kMeshMagic = "starbusM";

/// The bytes of a file: a header with a version, the layout, the tiles, and a checksum of all.
std::string encode(const Baked& baked);
/// Of bytes that anybody may have written. corrupt, bad_option, bad_position, too_large, too_many;
/// what is returned passes check.
Result<Baked> decode(std::string_view bytes);

}  // namespace starbus::nav::mesh
