/// JumpTable: for each cell and direction how far it is to the next jump point, or to the wall if
/// there is none: what jps_plus reads instead of looking for it (Rabin 2015). 16 bytes a cell. Owns
/// its memory; any number of threads may read.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nav/grid/cell.hpp"
#include "nav/grid/rules.hpp"

namespace starbus::nav::grid {

class JumpTable {
 public:
  /// Of the moves and passable neighbours of all cells, by index.
  void build(const Layout& layout, const Rules& rules, std::span<const Mask> moves,
             std::span<const Mask> around);

  /// The eight distances of a cell, by direction: above 0 to a jump point; otherwise minus the
  /// number of moves to the wall.
  const std::int16_t* at(std::uint32_t index) const { return &distances_[std::size_t{index} * 8]; }

 private:
  void fill(std::uint32_t index, Direction direction, const Layout& layout, const Rules& rules,
            std::span<const Mask> moves, std::span<const Mask> around);

  std::vector<std::int16_t> distances_;
};

}  // namespace starbus::nav::grid
