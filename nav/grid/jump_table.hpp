/// JumpTable: for each cell and direction how far it is to the next jump point, or to the wall if
/// there is none: what jps_plus reads instead of looking for it (Rabin 2015). 8 bytes a cell. Owns
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

  /// From a cell in a direction: above 0 the distance to a jump point; otherwise minus the number
  /// of moves to the wall. `offset`: of the direction in the layout.
  int distance(std::uint32_t index, Direction direction, std::uint32_t offset) const {
    int value = distances_[std::size_t{index} * 8 + direction];
    if (value != kFar) [[likely]]
      return value;
    int before = 0;
    do {
      before += kFarStep;
      index += offset * static_cast<std::uint32_t>(kFarStep);
      value = distances_[std::size_t{index} * 8 + direction];
    } while (value == kFar);
    return value > 0 ? value + before : value - before;
  }

 private:
  static constexpr int kFarStep = 126;
  static constexpr int kFar = 127;  ///< at least kFarStep moves are free: read on from there

  std::vector<std::int8_t> distances_;
};

}  // namespace starbus::nav::grid
