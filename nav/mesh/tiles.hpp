/// Tiles: Detour's mesh, and the ways between its polygons. Owns both; the owner's thread changes
/// them, and any number of threads may read while nobody does.
#pragma once

#include <DetourNavMeshQuery.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "nav/agent.hpp"
#include "nav/mesh/baked.hpp"
#include "nav/mesh/space.hpp"

namespace starbus::nav::mesh {

/// A polygon: its tile, and 10 bits of its number there.
using Polygon = std::uint32_t;
inline constexpr Polygon kNoPolygon = 0xffff'ffff;
inline constexpr std::uint32_t kPolygonBits = 10;
static_assert(1u << kPolygonBits == kMaxTilePolygons);

/// A way from one polygon to the next, over an edge or a part of one.
struct Way {
  Spot middle;  ///< of the part that both share
  Polygon to = 0;
  Area area = kWall;  ///< of that one
};

class Tiles {
 public:
  /// Without polygons. `areas` gives them their flags.
  Tiles(const Layout& layout, const Areas& areas);

  /// Puts the polygons of a tile in the place of those that it had. They must have passed check.
  /// Ways are out of date until `finish`.
  void put(std::uint32_t tile, const TileMesh& mesh);
  void finish();

  const Layout& layout() const { return layout_; }
  const dtNavMesh& mesh() const { return *mesh_; }
  /// Of this thread, for calls that keep nothing.
  const dtNavMeshQuery& query() const;

  /// Of polygons: of all tiles, or of one.
  std::uint32_t count() const { return first_polygon_.back(); }
  std::uint32_t count(std::uint32_t tile) const {
    return first_polygon_[tile + 1] - first_polygon_[tile];
  }
  /// A number below count() for each polygon.
  std::uint32_t index(Polygon of) const {
    return first_polygon_[of >> kPolygonBits] + (of & (kMaxTilePolygons - 1));
  }
  Polygon at(std::uint32_t index) const;

  /// Of all polygons together, or those of one, which are valid until `put`.
  std::uint32_t ways() const { return first_way_.back(); }
  std::span<const Way> ways(Polygon of) const {
    const TileWays& tile = ways_[of >> kPolygonBits];
    const std::uint32_t number = of & (kMaxTilePolygons - 1);
    return std::span(tile.ways).subspan(tile.first[number],
                                        tile.first[number + 1] - tile.first[number]);
  }
  /// A number below ways() for the first way of a polygon; the others follow.
  std::uint32_t first_way(Polygon of) const {
    const std::uint32_t tile = of >> kPolygonBits;
    return first_way_[tile] + ways_[tile].first[of & (kMaxTilePolygons - 1)];
  }

  const dtPoly& data(Polygon of) const {
    return mesh().getTile(static_cast<int>(of >> kPolygonBits))->polys[of & (kMaxTilePolygons - 1)];
  }
  Area area(Polygon of) const { return data(of).getArea(); }
  /// By corner: x, height, y.
  const float* corner(Polygon of, int number) const;

  /// As Detour names it now.
  dtPolyRef ref(Polygon of) const;
  Polygon polygon(dtPolyRef ref) const;
  /// As a Place names it: with the generation of its tile, since Detour's own salt comes round.
  std::uint64_t piece(Polygon of) const;
  /// nullopt if that polygon is gone.
  std::optional<Polygon> find(std::uint64_t piece) const;

 private:
  struct TileWays {
    std::vector<std::uint32_t> first = {0};  ///< by polygon, of ways; and the end
    std::vector<Way> ways;
  };
  struct FreeMesh {
    void operator()(dtNavMesh* mesh) const { dtFreeNavMesh(mesh); }
  };

  void find_ways(std::uint32_t tile);

  Layout layout_;
  Areas areas_;
  std::unique_ptr<dtNavMesh, FreeMesh> mesh_;
  std::vector<std::uint32_t> generations_;    ///< by tile: how often it was put
  std::vector<TileWays> ways_;                ///< by tile
  std::vector<bool> out_of_date_;             ///< by tile: its ways
  std::vector<std::uint32_t> first_polygon_;  ///< by tile; and the end
  std::vector<std::uint32_t> first_way_;
};

}  // namespace starbus::nav::mesh
