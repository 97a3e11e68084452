/// Finds cells: by arithmetic on a bounded map, or in a hash table without bounds.
///
/// An entity is at home in one cell. It stays there until it is more than `slack` beyond the
/// border, so that an entity that walks along a border does not change cells with each step. Cells
/// are so large that every entity within reach of a sensor has its home in the nine cells around
/// the sensor's home: cell >= reach + 2 slack. Cell numbers are small and stable while a cell is
/// open. One thread.
#pragma once

#include <algorithm>
#include <vector>

#include "aoi/index/kernels.hpp"
#include "aoi/options.hpp"
#include "aoi/scene.hpp"

namespace starbus::aoi {

using CellIndex = std::uint32_t;

/// The column and the row of a cell.
struct CellAt {
  std::int32_t x = 0;
  std::int32_t y = 0;
  friend bool operator==(const CellAt&, const CellAt&) = default;
};

/// Coordinates in cells, computed in double: exact enough that rounding is far below the slack.
class CellScale {
 public:
  CellScale(double origin_x, double origin_y, float reach);

  double edge() const { return edge_; }
  double slack() const { return slack_ * edge_; }
  double x(const Position& at) const { return (double{at.x} - origin_x_) * inverse_; }
  double y(const Position& at) const { return (double{at.y} - origin_y_) * inverse_; }
  /// True if a coordinate, in cells, is still at home in the cell with this number.
  bool stays(double at, std::int32_t home) const {
    const double beyond = at - home;
    return beyond >= -slack_ && beyond <= 1 + slack_;
  }

 private:
  double origin_x_;
  double origin_y_;
  double edge_;
  double inverse_;
  double slack_;  ///< as a share of the edge
};

/// The cells of a bounded map, all of them there. Positions outside belong to the cells of the
/// edge.
class UniformCells {
 public:
  UniformCells(const Box& bounds, float reach);
  /// How many cells these bounds need.
  static double count(const Box& bounds, float reach);

  /// The cell of a position; and whether an entity at home in `home` stays there.
  CellAt locate(const Position& at) const;
  bool stays(const CellAt& home, const Position& at) const {
    // An entity outside is at home in a cell of the edge.
    const double x = std::clamp(scale_.x(at), 0.0, static_cast<double>(columns_));
    const double y = std::clamp(scale_.y(at), 0.0, static_cast<double>(rows_));
    return scale_.stays(x, home.x) && scale_.stays(y, home.y);
  }
  CellIndex find(const CellAt& at) const { return number(at); }
  CellIndex open(const CellAt& at) { return number(at); }
  void close(CellIndex) {}
  /// Never kNone: a ring of cells that stay empty lies around the map.
  CellIndex neighbour(CellIndex cell, std::size_t i) const { return cell + offsets_[i]; }
  std::size_t size() const { return size_; }
  double slack() const { return scale_.slack(); }
  /// Calls visitor(cell) for all open cells whose entities may be in the box.
  template <class Visitor>
  void visit(const Box& box, const Visitor& visitor) const;
  std::uint64_t memory() const { return 0; }

 private:
  CellIndex number(const CellAt& at) const {
    return static_cast<CellIndex>(at.y + 1) * stride_ + static_cast<CellIndex>(at.x + 1);
  }
  CellScale scale_;
  std::int32_t columns_;
  std::int32_t rows_;
  std::uint32_t stride_;
  std::size_t size_;
  std::uint32_t offsets_[kNeighbours];
};

/// The cells of a map without bounds: those that are open, found by hashing.
class HashedCells {
 public:
  explicit HashedCells(float reach);

  /// The cell of a position; and whether an entity at home in `home` stays there.
  CellAt locate(const Position& at) const;
  bool stays(const CellAt& home, const Position& at) const {
    return scale_.stays(scale_.x(at), home.x) && scale_.stays(scale_.y(at), home.y);
  }
  CellIndex find(const CellAt& at) const;  ///< kNone: not open
  /// The cell there, opened if it was not; and the end of an open one.
  CellIndex open(const CellAt& at);
  void close(CellIndex cell);
  /// kNone: not open.
  CellIndex neighbour(CellIndex cell, std::size_t i) const { return cells_[cell].around[i]; }
  std::size_t size() const { return cells_.size(); }
  double slack() const { return scale_.slack(); }
  template <class Visitor>
  void visit(const Box& box, const Visitor& visitor) const;
  std::uint64_t memory() const;

  /// The slot that is tried first in a table of this many slots, a power of two.
  static std::size_t slot_of(const CellAt& at, std::size_t slots);

 private:
  struct Cell {
    CellAt at;
    bool open = false;
    CellIndex around[kNeighbours];
  };
  void rehash(std::size_t slots);
  void link(CellIndex cell, bool on);

  CellScale scale_;
  std::vector<Cell> cells_;
  std::vector<CellIndex> free_;
  std::vector<CellIndex> table_;  ///< open addressing with linear probing; kNone: free
  std::size_t open_count_ = 0;
};

template <class Visitor>
void UniformCells::visit(const Box& box, const Visitor& visitor) const {
  const auto slack = static_cast<float>(scale_.slack()) + 0.25F;
  const CellAt low = locate({box.min.x - slack, box.min.y - slack, 0});
  const CellAt high = locate({box.max.x + slack, box.max.y + slack, 0});
  for (std::int32_t y = low.y; y <= high.y; ++y) {
    for (std::int32_t x = low.x; x <= high.x; ++x) visitor(number({x, y}));
  }
}

template <class Visitor>
void HashedCells::visit(const Box& box, const Visitor& visitor) const {
  const auto slack = static_cast<float>(scale_.slack()) + 0.25F;
  const CellAt low = locate({box.min.x - slack, box.min.y - slack, 0});
  const CellAt high = locate({box.max.x + slack, box.max.y + slack, 0});
  const double wanted = (double{1} + high.x - low.x) * (double{1} + high.y - low.y);
  if (wanted > static_cast<double>(open_count_)) {
    for (CellIndex i = 0; i < cells_.size(); ++i) {
      const CellAt at = cells_[i].at;
      const bool inside = at.x >= low.x && at.x <= high.x && at.y >= low.y && at.y <= high.y;
      if (cells_[i].open && inside) visitor(i);
    }
    return;
  }
  for (std::int32_t y = low.y; y <= high.y; ++y) {
    for (std::int32_t x = low.x; x <= high.x; ++x) {
      if (const CellIndex cell = find({x, y}); cell != kNone) visitor(cell);
    }
  }
}

}  // namespace starbus::aoi
