/// Which moves between two neighbouring clusters are kept as entrances: for each pair of parts, one
/// of either cluster, that are joined across the border, one in each stretch of kSpacing cells, so
/// that what can be reached stays the same. Pure functions over memory that is used again.
#pragma once

#include <cstdint>
#include <vector>

#include "nav/grid/clusters/box_search.hpp"
#include "nav/grid/clusters/stretches.hpp"

namespace starbus::nav::grid {

/// A move from a cell of one cluster to one of another.
struct Crossing {
  Spot from = 0;
  Spot to = 0;
  friend bool operator==(const Crossing&, const Crossing&) = default;
};

/// One thread.
class Entrances {
 public:
  /// Cells of a border that one entrance stands for.
  static constexpr std::uint32_t kSpacing = 11;

  /// The entrances between a cluster and its neighbour in a direction, in the order of their cells.
  /// Diagonal ones exist between walls only, by Diagonals::cut. Valid until the next call.
  const std::vector<Crossing>& choose(const Layer& layer, const CellBox& from, const CellBox& to,
                                      Direction direction);

 private:
  void add(std::uint32_t place, Crossing crossing);

  BoxSearch from_;
  BoxSearch to_;
  Stretches<Crossing> stretches_{kSpacing};
};

}  // namespace starbus::nav::grid
