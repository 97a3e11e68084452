/// Frame: where a grid lies in the world. Sums in double, so that they are the same everywhere.
/// Plain value.
#pragma once

#include <algorithm>
#include <cmath>

#include "nav/grid/line.hpp"
#include "nav/types.hpp"

namespace starbus::nav::grid {

struct Frame {
  Point origin;    ///< the lowest corner of cell (0, 0); its z is added to all levels
  float size = 1;  ///< m, the side of a cell
  Layout layout = {};

  /// Along an axis, in cells.
  double along(float at, float from) const {
    return (static_cast<double>(at) - static_cast<double>(from)) / static_cast<double>(size);
  }
  /// Whether a point lies on the grid.
  bool contains(Point at) const {
    const double x = along(at.x, origin.x);
    const double y = along(at.y, origin.y);
    return x >= 0 && y >= 0 && x < layout.width && y < layout.height;
  }
  /// A point in 1/256 of a cell, at most a cell beyond the grid.
  FinePoint fine(Point at) const {
    const auto one = [](double cells, std::uint32_t count) {
      const double within = std::clamp(cells, -1.0, static_cast<double>(count) + 1.0);
      return static_cast<std::int32_t>(std::floor(within * kFine));
    };
    return {one(along(at.x, origin.x), layout.width), one(along(at.y, origin.y), layout.height)};
  }
  /// The same within a cell.
  FinePoint fine_within(Point at, Cell cell) const {
    const FinePoint of = fine(at);
    const auto one = [](std::int32_t value, std::int32_t number) {
      return std::clamp(value, number * kFine, number * kFine + kFine - 1);
    };
    return {one(of.x, cell.x), one(of.y, cell.y)};
  }
  /// Back to the world; a point within the cell, at its level.
  Point point(FinePoint at, float level) const {
    const auto one = [&](std::int32_t value, float from) {
      // Half a unit on, so that rounding does not lead to the cell before.
      const double cells = (value + 0.5) / kFine;
      return static_cast<float>(static_cast<double>(from) + cells * static_cast<double>(size));
    };
    return {one(at.x, origin.x), one(at.y, origin.y), origin.z + level};
  }
  /// The middle of a cell.
  Point middle(Cell cell, float level) const {
    const auto one = [&](std::uint32_t number, float from) {
      return static_cast<float>(static_cast<double>(from) +
                                (number + 0.5) * static_cast<double>(size));
    };
    return {one(cell.x, origin.x), one(cell.y, origin.y), origin.z + level};
  }
  /// The cells that a box touches, heights apart; one that it touches with its high border only
  /// does not count.
  CellBox cells(const Box& box) const {
    const auto low = [](double cells, std::uint32_t count) {
      return static_cast<std::uint32_t>(std::clamp(std::floor(cells), 0.0, double{1} * count));
    };
    const auto high = [](double from, double to, std::uint32_t count) {
      const double end = std::max(std::ceil(to), std::floor(from) + 1);
      return static_cast<std::uint32_t>(std::clamp(end, 0.0, double{1} * count));
    };
    const double x0 = along(box.low.x, origin.x);
    const double y0 = along(box.low.y, origin.y);
    return {low(x0, layout.width), low(y0, layout.height),
            high(x0, along(box.high.x, origin.x), layout.width),
            high(y0, along(box.high.y, origin.y), layout.height)};
  }
};

}  // namespace starbus::nav::grid
