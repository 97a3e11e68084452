/// Cells of a grid, the eight directions, and what a move costs. Plain values.
///
/// A move along a side costs 408 and one along a diagonal 577: 577 / 408 differs from the square
/// root of 2 by a millionth and a half, and sums of whole numbers are exact, so that two paths are
/// equally long or they are not, on every machine.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <compare>
#include <cstdint>
#include <cstdlib>

namespace starbus::nav::grid {

/// A cell by its column and row, from 0.
struct Cell {
  std::uint16_t x = 0;
  std::uint16_t y = 0;
  friend constexpr auto operator<=>(const Cell&, const Cell&) = default;
};

/// 0..3 along sides: +x, +y, -x, -y; 4..7 diagonal: +x+y, -x+y, -x-y, +x-y.
using Direction = std::uint8_t;
inline constexpr Direction kNoDirection = 8;  ///< of where a search begins
inline constexpr Direction kByLink = 9;       ///< of a cell that a link leads to
inline constexpr std::array<std::int8_t, 8> kStepX{1, 0, -1, 0, 1, -1, -1, 1};
inline constexpr std::array<std::int8_t, 8> kStepY{0, 1, 0, -1, 1, 1, -1, -1};

inline constexpr std::uint32_t kStraight = 408;  ///< cost of a move along a side
inline constexpr std::uint32_t kDiagonal = 577;  ///< and of one along a diagonal
/// By direction.
inline constexpr std::array<std::uint32_t, 8> kStepCost{kStraight, kStraight, kStraight, kStraight,
                                                        kDiagonal, kDiagonal, kDiagonal, kDiagonal};

/// The direction back.
constexpr Direction opposite(Direction direction) {
  return direction ^ 2;
}
/// Whether a direction is one of the diagonals.
constexpr bool diagonal(Direction direction) {
  return direction >= 4;
}
/// The parts of a diagonal direction, along x and along y.
constexpr Direction part_x(Direction direction) {
  return kStepX[direction] > 0 ? 0 : 2;
}
constexpr Direction part_y(Direction direction) {
  return kStepY[direction] > 0 ? 1 : 3;
}
/// The direction of a step of -1, 0 or 1 along each axis, not both 0.
constexpr Direction direction_of(int dx, int dy) {
  if (dy == 0) return dx > 0 ? 0 : 2;
  if (dx == 0) return dy > 0 ? 1 : 3;
  return dy > 0 ? (dx > 0 ? 4 : 5) : (dx > 0 ? 7 : 6);
}
/// The cell that a step leads to, which must lie within the grid.
constexpr Cell beside(Cell cell, Direction direction) {
  return {static_cast<std::uint16_t>(cell.x + kStepX[direction]),
          static_cast<std::uint16_t>(cell.y + kStepY[direction])};
}
/// -1, 0 or 1.
constexpr int sign(int value) {
  return (value > 0) - (value < 0);
}

/// Which diagonal moves there are, beside walls.
enum class Diagonals : std::uint8_t {
  none,      ///< along sides only
  no_cut,    ///< both cells beside the move must be passable: the default
  one_side,  ///< one of them must be
  cut,       ///< also between two walls that touch with their corners
};

/// What a search carries about: row and column in one word, so that a step is one addition.
using Spot = std::uint32_t;
constexpr Spot spot_of(Cell cell) {
  return static_cast<Spot>(cell.y) << 16 | cell.x;
}
constexpr Cell cell_of(Spot spot) {
  return {static_cast<std::uint16_t>(spot), static_cast<std::uint16_t>(spot >> 16)};
}
constexpr Spot stepped(Spot spot, Direction direction, std::uint32_t count = 1) {
  const auto step = static_cast<Spot>(kStepY[direction] * 65'536 + kStepX[direction]);
  return spot + step * count;
}

/// Cells lie in arrays row by row, within a border of one cell that is no ground. Rows are an odd
/// multiple of eight apart, so that cells above each other do not share a set of the cache.
struct Layout {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::uint32_t stride = 0;

  Layout() = default;
  Layout(std::uint32_t w, std::uint32_t h) : width(w), height(h), stride(((w + 9) / 8 | 1) * 8) {}

  std::uint32_t count() const { return (height + 2) * stride; }
  /// The place of a cell in an array.
  std::uint32_t index(Cell cell) const { return (cell.y + 1u) * stride + cell.x + 1u; }
  std::uint32_t index(Spot spot) const {
    return ((spot >> 16) + 1u) * stride + (spot & 0xffff) + 1;
  }
  Cell cell(std::uint32_t index) const {
    return {static_cast<std::uint16_t>(index % stride - 1),
            static_cast<std::uint16_t>(index / stride - 1)};
  }
  bool contains(Cell cell) const { return cell.x < width && cell.y < height; }
  /// What is added to an index by a step.
  std::int32_t offset(Direction direction) const {
    return kStepY[direction] * static_cast<std::int32_t>(stride) + kStepX[direction];
  }
  friend bool operator==(const Layout&, const Layout&) = default;
};

/// A rectangle of cells: columns [x0, x1), rows [y0, y1).
struct CellBox {
  std::uint32_t x0 = 0;
  std::uint32_t y0 = 0;
  std::uint32_t x1 = 0;
  std::uint32_t y1 = 0;

  bool empty() const { return x0 >= x1 || y0 >= y1; }
  /// Larger by so many cells on each side, within the grid.
  CellBox grown(std::uint32_t by, const Layout& within) const {
    return {x0 > by ? x0 - by : 0, y0 > by ? y0 - by : 0, std::min(x1 + by, within.width),
            std::min(y1 + by, within.height)};
  }
};

/// A rule of costs: what separates two cells at least, if nothing is in the way and every cell
/// costs `factor`.
struct Estimate {
  std::uint32_t longer = 0;   ///< per step along the longer axis
  std::uint32_t shorter = 0;  ///< and along the other

  Estimate() = default;
  Estimate(Diagonals diagonals, std::uint32_t factor)
      : longer(kStraight * factor),
        shorter((diagonals == Diagonals::none ? kStraight : kDiagonal - kStraight) * factor) {}
  /// Between two cells.
  std::uint32_t between(Spot from, Spot to) const {
    const auto dx = static_cast<std::uint32_t>(
        std::abs(static_cast<int>(from & 0xffff) - static_cast<int>(to & 0xffff)));
    const auto dy = static_cast<std::uint32_t>(
        std::abs(static_cast<int>(from >> 16) - static_cast<int>(to >> 16)));
    return dx > dy ? longer * dx + shorter * dy : longer * dy + shorter * dx;
  }
};

}  // namespace starbus::nav::grid
