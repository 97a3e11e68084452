/// Obstacles: what stands on a grid for a while, and what the cells are like beneath. It writes the
/// areas of a terrain. Owns its table; the owner's thread.
#pragma once

#include <cstdint>
#include <vector>

#include "nav/error.hpp"
#include "nav/grid/terrain.hpp"
#include "nav/ground.hpp"

namespace starbus::nav::grid {

class Obstacles {
 public:
  /// The terrain must outlive it.
  explicit Obstacles(Terrain& terrain) : terrain_(terrain), ground_(terrain.areas) {}

  /// Each says which cells may have another area now; none, if nothing has.
  Result<CellBox> set_present(ObstacleId id, bool present);
  Result<CellBox> remove(ObstacleId id);
  CellBox set_area(const CellBox& cells, Area area);
  /// The new one is present. too_many.
  Result<ObstacleId> add(const CellBox& cells, Area area, CellBox& changed);

 private:
  struct Slot {
    CellBox cells = {};
    Area area = kWall;
    bool used = false;
    bool present = false;
    std::uint16_t generation = 0;
  };

  Slot* find(ObstacleId id);
  void cover(const CellBox& cells);
  CellBox update(const CellBox& cells);

  Terrain& terrain_;
  std::vector<Area> ground_;  ///< without obstacles
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
  std::vector<Area> covers_;  ///< scratch
};

}  // namespace starbus::nav::grid
