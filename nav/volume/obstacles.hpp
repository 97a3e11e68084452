/// Obstacles: what stands in a volume for a while, and what its voxels are like beneath. It writes
/// the columns of a volume. A change that turns out to be too large can be undone. Owns its table;
/// the owner's thread.
#pragma once

#include <cstdint>
#include <vector>

#include "nav/error.hpp"
#include "nav/ground.hpp"
#include "nav/volume/columns.hpp"

namespace starbus::nav::volume {

class Obstacles {
 public:
  /// The columns must outlive it.
  explicit Obstacles(Columns& columns) : columns_(columns), beneath_(columns) {}

  /// Each says which voxels may have another area now; none, if nothing has. too_large at
  /// kMaxSpans: then nothing has changed.
  Result<VoxelBox> set_present(ObstacleId id, bool present);
  Result<VoxelBox> remove(ObstacleId id);
  Result<VoxelBox> set_area(const VoxelBox& voxels, Area area);
  /// The new one is present. Also too_many.
  Result<VoxelBox> add(const VoxelBox& voxels, Area area, ObstacleId& id);

  /// Takes the last one of these that has succeeded back.
  void undo();

 private:
  struct Slot {
    VoxelBox voxels = {};
    Area area = kWall;
    bool used = false;
    bool present = false;
    std::uint16_t generation = 0;
  };
  // What undo() needs.
  struct Saved {
    bool slot = false;
    std::uint32_t index = 0;
    Slot before;
    std::vector<Span> spans;            ///< of beneath_
    std::vector<std::uint16_t> counts;  ///< by column of voxels; empty if it has not changed
    VoxelBox voxels = {};
  };

  Slot* find(ObstacleId id);
  void save(std::uint32_t index);
  Result<VoxelBox> apply(const VoxelBox& voxels);
  VoxelBox update(const VoxelBox& voxels);
  bool update_column(std::uint32_t x, std::uint32_t y, const VoxelBox& voxels);

  Columns& columns_;
  Columns beneath_;  ///< without obstacles
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
  Saved saved_;
  std::vector<std::uint32_t> there_;  ///< scratch of update: present ones that touch the box
  std::vector<Area> areas_;           ///< scratch: of one column
  std::vector<Area> covers_;          ///< likewise
  std::vector<Span> spans_;           ///< likewise
};

}  // namespace starbus::nav::volume
