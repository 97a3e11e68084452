/// Chunks: cubes of 64 x 64 x 64 voxels, the pieces in which a volume is built. Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "nav/volume/columns.hpp"
#include "nav/volume/voxel.hpp"

namespace starbus::nav::volume {

/// The level of a chunk as a cube of an octree, its side, and how many voxels it has.
inline constexpr std::uint8_t kChunkLevel = 6;
inline constexpr std::uint32_t kChunkSide = 1u << kChunkLevel;
inline constexpr std::uint32_t kChunkVoxels = kChunkSide * kChunkSide * kChunkSide;

/// A value for each voxel of a chunk, column by column, so that a span is a run of bytes.
using ChunkValues = std::vector<std::uint8_t>;
/// The place of a voxel in them, by its numbers within the chunk.
constexpr std::uint32_t chunk_index(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  return (x * kChunkSide + y) * kChunkSide + z;
}
/// The chunks of a volume, which they cover; the last ones along an axis reach beyond it.
struct Chunks {
  std::uint32_t x = 0;
  std::uint32_t y = 0;
  std::uint32_t z = 0;

  Chunks() = default;
  explicit Chunks(const Extent& extent)
      : x((extent.x + kChunkSide - 1) / kChunkSide),
        y((extent.y + kChunkSide - 1) / kChunkSide),
        z((extent.z + kChunkSide - 1) / kChunkSide) {}

  std::uint32_t count() const { return x * y * z; }
  /// The number of the chunk that a voxel lies in.
  std::uint32_t index(Voxel at) const {
    return ((std::uint32_t{at.z} >> kChunkLevel) * y + (at.y >> kChunkLevel)) * x +
           (at.x >> kChunkLevel);
  }
  /// Its lowest voxel.
  Voxel low(std::uint32_t index) const {
    const auto one = [](std::uint32_t number) {
      return static_cast<std::uint16_t>(number << kChunkLevel);
    };
    return {one(index % x), one(index / x % y), one(index / x / y)};
  }
};

/// The area of all voxels of a box, which must lie in the volume; nullopt if they differ.
std::optional<Area> one_area(const Columns& columns, const VoxelBox& box);
/// Writes the area of each voxel of a chunk; kWall beyond the volume.
void read_areas(const Columns& columns, Voxel low, ChunkValues& out);

}  // namespace starbus::nav::volume
