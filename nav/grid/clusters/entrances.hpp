/// Which moves between two neighbouring clusters are kept as entrances: for each pair of parts, one
/// of either cluster, that are joined across the border, one in each stretch of kSpacing cells, so
/// that what can be reached stays the same. Pure functions over memory that is used again.
#pragma once

#include <cstdint>
#include <vector>

#include "nav/grid/clusters/box_search.hpp"

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
  struct Stretch {
    std::uint32_t pair;   ///< labels of the two parts
    std::uint32_t first;  ///< place on the border
    std::vector<Crossing> crossings;
  };

  void add(std::uint32_t place, Crossing crossing);
  void keep(const Stretch& stretch);

  BoxSearch from_;
  BoxSearch to_;
  std::vector<Stretch> stretches_;  ///< the first open_ of them
  std::size_t open_ = 0;
  std::vector<Crossing> kept_;
};

}  // namespace starbus::nav::grid
