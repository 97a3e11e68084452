/// What tests compare volumes with: dense arrays of voxels, and searches that are written from the
/// contract alone, as plainly as can be; and random worlds, which shrink.
#pragma once

#include <rapidcheck.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "nav/volume/volume_ground.hpp"
#include "tests/nav/reference.hpp"

namespace starbus::nav::volume::test {

using grid::test::Chance;
inline constexpr std::uint64_t kNoWay = std::numeric_limits<std::uint64_t>::max();
inline constexpr Area kAir = 1;
inline constexpr Area kWater = 2;
inline constexpr std::uint16_t kAirFlag = 1;
inline constexpr std::uint16_t kWaterFlag = 2;

/// All voxels of a volume, layer by layer, as Extent::index numbers them.
struct Dense {
  Extent extent;
  std::vector<Area> areas;

  explicit Dense(const Extent& of, Area area = kAir) : extent(of), areas(of.voxels(), area) {}
  explicit Dense(const Columns& columns);
  Area& at(Voxel voxel) { return areas[extent.index(voxel)]; }
  Area at(Voxel voxel) const { return areas[extent.index(voxel)]; }
  void fill(const VoxelBox& box, Area area);
  Columns columns() const;
  template <class Use>
  void each(Use&& use) const {
    for (std::uint64_t i = 0; i < areas.size(); ++i) use(extent.voxel(i));
  }
  friend bool operator==(const Dense&, const Dense&) = default;
};

/// Areas of which air and water have flags of their own.
Areas elements();
/// Who passes air alone, water alone, or both.
Agent flier(float radius = 0);
Agent swimmer();
Agent duck(std::uint8_t cost_of_water);

/// What each voxel costs an agent, 0 for what it cannot enter: from its definition, voxel by voxel.
std::vector<std::uint8_t> costs_of(const Dense& world, const Agent& agent, double radius);

/// Costs from one voxel to all, by Dijkstra over moves through faces. kNoWay where there is none.
std::vector<std::uint64_t> all_costs(const Dense& world, const std::vector<std::uint8_t>& costs,
                                     Voxel from, const std::vector<VoxelLink>& links = {});
/// The length of a shortest way over all 26 neighbours, in sides; none past an edge of what cannot
/// be entered.
std::vector<double> all_lengths(const Dense& world, const std::vector<std::uint8_t>& costs,
                                Voxel from);

/// So many percent of the voxels are walls, in boxes of up to `most` voxels a side.
Dense random_world(Chance& chance, const Extent& extent, std::uint32_t blocked, std::uint32_t most);
/// A world of boxes of several areas, that shrinks towards none.
Dense any_world(std::uint32_t most_side);
Voxel any_voxel(const Extent& extent);
Voxel random_voxel(Chance& chance, const Extent& extent);

/// A ground of a world, with voxels of 1 m at the origin.
std::unique_ptr<VolumeGround> ground_of(const Dense& world);
/// The voxels of a path that was not smoothed.
std::vector<Voxel> voxels_of(const VolumeGround& ground, const Path& path);
double length_of(const Path& path);

}  // namespace starbus::nav::volume::test
