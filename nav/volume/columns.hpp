/// Columns: the areas of all voxels, as a height field: each column is a list of spans that tile it
/// from the ground up. What a volume is made from, and what it is asked for exactly.
///
/// Owns its memory: 8 bytes for each column and 4 for each span, and up to as much again for spans
/// that have changed. Changes by one thread while no other one reads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nav/error.hpp"
#include "nav/limits.hpp"
#include "nav/volume/limits.hpp"
#include "nav/volume/voxel.hpp"

namespace starbus::nav::volume {

/// Voxels of one area above each other: from the end of the span below it, or 0, to `end`. Two
/// neighbouring ones differ in their areas, and the last one ends at the top.
struct Span {
  std::uint16_t end = 0;
  Area area = kWall;
  friend bool operator==(const Span&, const Span&) = default;
};

/// Voxels [low, high) of a column.
struct Gap {
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  friend bool operator==(const Gap&, const Gap&) = default;
};

class Columns {
 public:
  /// All of one area. too_large; bad_option without voxels.
  static Result<Columns> create(const Extent& extent, Area area = kPlain);

  const Extent& extent() const { return extent_; }
  /// The spans of a column, which must be one of these.
  std::span<const Span> column(std::uint32_t x, std::uint32_t y) const {
    const Column& of = columns_[std::size_t{y} * extent_.x + x];
    return std::span(pool_).subspan(of.first, of.count);
  }
  /// The area of a voxel; kWall beyond the volume.
  Area at(Voxel voxel) const;
  /// Whether no agent can ever be there.
  bool solid(Voxel voxel) const { return at(voxel) == kWall; }
  /// What is open above and below a voxel up to the next solid ones; empty if it is solid itself.
  Gap clearance(Voxel voxel) const;

  /// Gives voxels of a column another area; they must be some of it. too_large if there could be
  /// more than kMaxSpans then.
  Result<void> set(std::uint32_t x, std::uint32_t y, std::uint32_t z0, std::uint32_t z1, Area area);
  /// The same of all voxels of a box that lie within the volume; all or nothing.
  Result<void> set(const VoxelBox& box, Area area);
  /// Replaces a column by spans of the form above, which are none of its own. Takes no look at
  /// kMaxSpans: its caller does, and can so undo what was too much.
  void assign(std::uint32_t x, std::uint32_t y, std::span<const Span> spans) {
    write(columns_[std::size_t{y} * extent_.x + x], spans);
  }

  /// All spans that there are.
  std::size_t spans() const { return spans_; }
  /// Bytes of memory that it holds.
  std::size_t bytes() const {
    return columns_.capacity() * sizeof(Column) + pool_.capacity() * sizeof(Span);
  }
  friend bool operator==(const Columns& a, const Columns& b);

 private:
  struct Column {
    std::uint32_t first = 0;  ///< in pool_
    std::uint16_t count = 0;
    std::uint16_t room = 0;
  };

  Columns(const Extent& extent, Area area);
  void write(Column& column, std::span<const Span> spans);
  void compact();

  Extent extent_;
  std::vector<Column> columns_;  ///< row by row
  std::vector<Span> pool_;
  std::vector<Span> scratch_;
  std::size_t spans_ = 0;
};

}  // namespace starbus::nav::volume
