/// Reach: whether one node of a graph can be reached from another, answered from a table: the
/// strong parts of the graph, and which of them lead to which. Owns its table; once made it does
/// not change, and any number of threads may read.
#pragma once

#include <cstdint>
#include <vector>

#include "nav/graph/graph.hpp"

namespace starbus::nav::graph {

class Reach {
 public:
  /// Of no nodes.
  Reach() = default;
  /// too_large if there are more than kMaxReachParts strong parts: the table has a bit for each
  /// two of them.
  static Result<Reach> create(const Graph& graph);

  /// In constant time. Both must be nodes of the graph; each reaches itself.
  bool reaches(std::uint32_t from, std::uint32_t to) const {
    const std::uint32_t part = parts_.of[to];
    return (table_[parts_.of[from] * words_ + part / 64] >> part % 64 & 1) != 0;
  }
  /// The strong parts of the nodes.
  const Parts& parts() const { return parts_; }

 private:
  Parts parts_;
  std::size_t words_ = 0;             ///< of a row of table_
  std::vector<std::uint64_t> table_;  ///< by part: a bit for each part that it leads to
};

}  // namespace starbus::nav::graph
