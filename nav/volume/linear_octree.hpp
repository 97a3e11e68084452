/// LinearOctree: the areas of a volume as the leaves of an octree, without pointers: cubes of one
/// area in the order of their Morton keys, so that a lookup is a binary search, and a file is the
/// list itself. The root is the smallest cube of a power of two around the volume; what lies
/// beyond is kWall.
///
/// Owns its memory: 8 bytes a leaf. Once made it does not change; any number of threads may read.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "nav/error.hpp"
#include "nav/volume/columns.hpp"
#include "nav/volume/voxel.hpp"

namespace starbus::nav::volume {

class LinearOctree {
 public:
  /// A leaf without its place, as it stands in a list in the order of keys.
  struct Cube {
    std::uint8_t level = 0;
    Area area = kWall;
    friend bool operator==(const Cube&, const Cube&) = default;
  };

  /// Made from the bottom up: eight equal cubes become one. too_large.
  static Result<LinearOctree> create(const Columns& columns);
  /// Of a list of leaves. What create says of extents; bad_option if they do not tile the root, an
  /// area is beyond kMaxArea, or eight of them should be one; too_large.
  static Result<LinearOctree> of(const Extent& extent, std::span<const Cube> cubes);
  /// The areas as columns. too_large.
  Result<Columns> columns() const;

  const Extent& extent() const { return extent_; }
  /// The level of the root.
  std::uint8_t depth() const { return depth_; }
  std::size_t size() const { return leaves_.size(); }
  std::size_t bytes() const { return leaves_.capacity() * sizeof(std::uint64_t); }

  /// A leaf by its number in the order of keys; its value is its area, its label its number.
  Block leaf(std::size_t number) const;
  /// The leaf of a voxel, which must lie within the root.
  Block at(Voxel voxel) const;
  /// The leaves that share a part of a face with another one, in the order of keys. Writes into
  /// `out`, whose memory is used again.
  void neighbours(const Block& leaf, Face face, std::vector<Block>& out) const;

 private:
  LinearOctree(const Extent& extent, std::uint8_t depth) : extent_(extent), depth_(depth) {}
  bool push(std::uint64_t key, std::uint8_t level, Area area);
  bool add(const Columns& columns, Voxel low, std::uint8_t level, std::vector<std::uint8_t>& areas);
  bool add_chunk(const std::vector<std::uint8_t>& areas, Voxel low);
  void gather(Voxel low, std::uint8_t level, Face towards, std::vector<Block>& out) const;

  Extent extent_;
  std::uint8_t depth_ = 0;
  std::vector<std::uint64_t> leaves_;  ///< key << 16 | level << 8 | area
};

}  // namespace starbus::nav::volume
