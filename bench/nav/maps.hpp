/// Maps and pairs of cells, the same for all that is measured.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "nav/grid/layer.hpp"

namespace starbus::bench::nav {

/// A map of a fixed seed, as one kind of agent finds it, with pairs of places between which there
/// is a way.
class Map {
 public:
  /// Rooms of `room` x `room` cells with a door in each wall; 0: so many percent of the cells are
  /// walls, each by chance.
  Map(std::uint32_t side, std::uint32_t room, std::uint32_t blocked, std::uint32_t pairs);

  /// Makes the table of jump points.
  void make_table();
  /// Closes a passable cell, or opens one that is closed.
  void turn(starbus::nav::grid::Cell cell);

  starbus::nav::grid::Layer& layer() { return layer_; }
  const starbus::nav::grid::Layer& layer() const { return layer_; }
  const std::vector<std::pair<starbus::nav::grid::Cell, starbus::nav::grid::Cell>>& pairs() const {
    return pairs_;
  }
  /// A walled-off cell, and one outside.
  std::pair<starbus::nav::grid::Cell, starbus::nav::grid::Cell> apart() const { return apart_; }

 private:
  starbus::nav::grid::Terrain terrain_;
  starbus::nav::grid::Layer layer_;
  std::vector<std::pair<starbus::nav::grid::Cell, starbus::nav::grid::Cell>> pairs_;
  std::pair<starbus::nav::grid::Cell, starbus::nav::grid::Cell> apart_;
};

}  // namespace starbus::bench::nav
