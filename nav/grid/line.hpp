/// Straight lines over a layer, computed in whole numbers, so that a line through a corner goes
/// through it on every machine. Pure functions; any thread.
#pragma once

#include <cstdint>
#include <vector>

#include "nav/grid/layer.hpp"

namespace starbus::nav::grid {

/// A point of a grid in 1/256 of a cell's side.
struct FinePoint {
  std::int32_t x = 0;
  std::int32_t y = 0;
  friend bool operator==(const FinePoint&, const FinePoint&) = default;
};
inline constexpr std::int32_t kFine = 256;  ///< per side of a cell

/// The middle of a cell; the cell of a point that lies on the grid.
constexpr FinePoint middle_of(Cell cell) {
  return {cell.x * kFine + kFine / 2, cell.y * kFine + kFine / 2};
}
constexpr Cell cell_of(FinePoint at) {
  return {static_cast<std::uint16_t>(at.x / kFine), static_cast<std::uint16_t>(at.y / kFine)};
}

/// Where a line ends.
struct LineEnd {
  FinePoint at;      ///< the goal, or the last point before what is in the way
  bool hit = false;  ///< something is in the way
  int normal_x = 0;  ///< the side that was hit, seen from it: -1, 0, 1; both at a corner
  int normal_y = 0;
};

/// From one point of the grid towards another, which may lie beyond it; the first must be passable.
/// Every cell that the line enters must be, and each step must be a legal move.
LineEnd follow_line(const Layer& layer, FinePoint from, FinePoint to);

/// Whether the line between the middles of two cells is free, and all its cells cost the same.
bool sees(const Layer& layer, Cell from, Cell to);

/// Leaves out the cells of a path between which it does not turn.
void keep_corners(std::vector<Cell>& path);
/// Leaves out the cells of a path that a free line over equal costs can replace.
void keep_sight(const Layer& layer, std::vector<Cell>& path);

}  // namespace starbus::nav::grid
