/// How far a straight move goes to the next jump point, read from lines of bits, 56 cells at a
/// time. A jump point is where a wall beside the move ends, so that a cheapest path may turn there
/// (Harabor and Grastien 2011). Pure functions; any thread.
#pragma once

#include <bit>
#include <cstdint>

#include "nav/grid/bit_lines.hpp"
#include "nav/grid/cell.hpp"

namespace starbus::nav::grid {

/// Three neighbouring lines: the one that is walked along, and those beside it.
struct ThreeLines {
  const std::uint8_t* middle;
  const std::uint8_t* before;
  const std::uint8_t* after;

  ThreeLines(const BitLines& lines, std::uint32_t number)
      : middle(lines.line(number)),
        before(lines.line(std::int64_t{number} - 1)),
        after(lines.line(std::int64_t{number} + 1)) {}
};

/// Of the bits that one read of a line gives.
inline constexpr int kCellsAtOnce = 56;

/// Moves from cell `at` towards higher numbers: above 0 the distance to a jump point, otherwise
/// minus the number of moves to the wall.
template <Diagonals kRule>
int scan_onwards(const ThreeLines& lines, std::int32_t at) {
  constexpr std::uint64_t kCounted = (std::uint64_t{1} << kCellsAtOnce) - 1;
  for (int done = 0;; done += kCellsAtOnce, at += kCellsAtOnce) {
    const std::uint64_t walls = BitLines::onwards(lines.middle, at + 1);
    std::uint64_t turns;
    if constexpr (kRule == Diagonals::no_cut) {  // a wall beside the cell before ends at this one
      const std::uint64_t before = BitLines::onwards(lines.before, at);
      const std::uint64_t after = BitLines::onwards(lines.after, at);
      turns = (before & ~(before >> 1)) | (after & ~(after >> 1));
    } else {  // a wall beside this cell ends at the next one
      const std::uint64_t before = BitLines::onwards(lines.before, at + 1);
      const std::uint64_t after = BitLines::onwards(lines.after, at + 1);
      turns = (before & ~(before >> 1)) | (after & ~(after >> 1));
      if constexpr (kRule == Diagonals::one_side) turns &= ~(walls >> 1);
    }
    const std::uint64_t ends = (walls | turns) & kCounted;
    if (ends == 0) continue;
    const int end = std::countr_zero(ends);
    return (walls >> end & 1) != 0 ? -(done + end) : done + end + 1;
  }
}

/// The same towards lower numbers.
template <Diagonals kRule>
int scan_back(const ThreeLines& lines, std::int32_t at) {
  constexpr std::uint64_t kCounted = ~std::uint64_t{0} << (64 - kCellsAtOnce);
  for (int done = 0;; done += kCellsAtOnce, at -= kCellsAtOnce) {
    const std::uint64_t walls = BitLines::back(lines.middle, at - 1);
    std::uint64_t turns;
    if constexpr (kRule == Diagonals::no_cut) {
      const std::uint64_t before = BitLines::back(lines.before, at);
      const std::uint64_t after = BitLines::back(lines.after, at);
      turns = (before & ~(before << 1)) | (after & ~(after << 1));
    } else {
      const std::uint64_t before = BitLines::back(lines.before, at - 1);
      const std::uint64_t after = BitLines::back(lines.after, at - 1);
      turns = (before & ~(before << 1)) | (after & ~(after << 1));
      if constexpr (kRule == Diagonals::one_side) turns &= ~(walls << 1);
    }
    const std::uint64_t ends = (walls | turns) & kCounted;
    if (ends == 0) continue;
    const int end = std::countl_zero(ends);
    return (walls << end >> 63) != 0 ? -(done + end) : done + end + 1;
  }
}

/// A straight direction from a cell.
template <Diagonals kRule, Direction kDirection>
int scan(const BitLines& rows, const BitLines& columns, Spot from) {
  const auto x = static_cast<std::int32_t>(from & 0xffff);
  const auto y = static_cast<std::int32_t>(from >> 16);
  if constexpr (kDirection == 0) return scan_onwards<kRule>(ThreeLines(rows, from >> 16), x);
  if constexpr (kDirection == 2) return scan_back<kRule>(ThreeLines(rows, from >> 16), x);
  if constexpr (kDirection == 1) return scan_onwards<kRule>(ThreeLines(columns, from & 0xffff), y);
  if constexpr (kDirection == 3) return scan_back<kRule>(ThreeLines(columns, from & 0xffff), y);
}

}  // namespace starbus::nav::grid
