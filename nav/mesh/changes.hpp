/// Changes: the voxels of a mesh, what was painted on them, and what stands on them for a while.
/// Makes polygons of tiles that have changed. Owns its tables; the owner's thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nav/ground.hpp"
#include "nav/mesh/baked.hpp"
#include "nav/mesh/voxels.hpp"

namespace starbus::nav::mesh {

class Changes {
 public:
  /// A tile that would be another one.
  struct Tile {
    std::uint32_t number = 0;
    bool same = false;        ///< its polygons stay: it was painted beneath an obstacle
    TileMesh mesh;            ///< unless it is the same
    std::vector<Area> areas;  ///< by span, obstacles included
    std::string voxels;       ///< packed; empty: as before
  };
  /// An obstacle, present or not.
  struct Standing {
    Box box;
    Area area = kWall;
    bool used = false;
    bool present = false;
    std::uint16_t generation = 0;
  };

  /// Takes the voxels of all tiles, which have passed check.
  Changes(const Layout& layout, std::vector<BakedTile>& tiles);

  /// A free place for one more. too_many.
  Result<std::uint32_t> place();
  Standing& at(std::uint32_t index) { return standing_[index]; }
  /// nullptr if there is none.
  Standing* find(ObstacleId id);
  ObstacleId id(std::uint32_t index) const;

  /// The tiles that a change of what stands in a box has changed. Nothing changes yet. bad_option
  /// if the mesh has no voxels; too_many, corrupt: as polygons_of.
  Result<std::vector<Tile>> tiles(const Box& box) const { return stage(box, nullptr); }
  /// The same if the ground in a box is painted.
  Result<std::vector<Tile>> painted(const Box& box, Area area) const { return stage(box, &area); }
  /// They are so from now on.
  void keep(std::vector<Tile>& tiles);

 private:
  struct Range {  ///< of cells or tiles; without the last
    std::int64_t x0, y0, x1, y1;
  };

  Result<std::vector<Tile>> stage(const Box& box, const Area* paint) const;
  Range tiles_of(const Box& box, double around) const;
  template <class Use>
  void each_span(std::uint32_t tile, const Voxels& voxels, const Box& box, double around,
                 Use&& use) const;
  std::vector<Area> covered(std::uint32_t tile, const Voxels& voxels) const;

  Layout layout_;
  Steps steps_;
  std::vector<std::string> voxels_;       ///< by tile: packed, as they were painted
  std::vector<std::vector<Area>> built_;  ///< by tile: what its polygons were made of, if an
                                          ///< obstacle was there; else empty
  std::vector<Standing> standing_;
};

}  // namespace starbus::nav::mesh
