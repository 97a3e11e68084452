/// What is legal and what is worth looking at from a cell, by which of its eight neighbours are
/// passable: tables that are computed from the definitions. Constants; any thread.
#pragma once

#include <array>
#include <cstdint>

#include "nav/grid/cell.hpp"

namespace starbus::nav::grid {

/// A bit for each direction.
using Mask = std::uint8_t;

struct Rules {
  /// By the passable neighbours of a passable cell: the moves that lead from it.
  std::array<Mask, 256> moves = {};
  /// By the direction of arrival and the passable neighbours: the moves that a cheapest path may
  /// continue with. The others are reached at no greater cost without this cell (Harabor and
  /// Grastien 2011).
  std::array<std::array<Mask, 256>, 8> successors = {};
  /// The same: the moves among those that only walls make necessary.
  std::array<std::array<Mask, 256>, 8> forced = {};
};

/// The tables of a rule for diagonals. Those of successors are for rules with diagonals only.
const Rules& rules_of(Diagonals diagonals);

}  // namespace starbus::nav::grid
