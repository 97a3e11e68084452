/// Graph: nodes by number and edges that lead one way, as arrays. Owns them; once made it does not
/// change, and any number of threads may read.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nav/error.hpp"
#include "nav/limits.hpp"

namespace starbus::nav::graph {

/// One way, from one node to another.
struct Edge {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  friend bool operator==(const Edge&, const Edge&) = default;
};

class Graph {
 public:
  Graph() = default;
  /// Nodes are 0..nodes - 1. too_large; bad_option if an edge has an end beyond them.
  static Result<Graph> create(std::uint32_t nodes, std::span<const Edge> edges);

  std::uint32_t nodes() const { return static_cast<std::uint32_t>(first_.size() - 1); }
  std::uint32_t edges() const { return static_cast<std::uint32_t>(to_.size()); }
  /// Where the edges of a node lead, in the order in which they were given.
  std::span<const std::uint32_t> from(std::uint32_t node) const {
    return std::span(to_).subspan(first_[node], first_[node + 1] - first_[node]);
  }

 private:
  std::vector<std::uint32_t> first_ = {0};  ///< by node, of to_; and the end
  std::vector<std::uint32_t> to_;
};

/// A number for each node, equal within a part. Parts are numbered from 0.
struct Parts {
  std::vector<std::uint32_t> of;  ///< by node
  std::uint32_t count = 0;
};

/// Parts that edges join, whichever way they lead; in the order of their first nodes. Linear.
Parts joined_parts(const Graph& graph);
/// Parts within which each node can be reached from each (Tarjan 1972, without recursion). An edge
/// between two parts leads to the one with the lower number. Linear.
Parts strong_parts(const Graph& graph);

}  // namespace starbus::nav::graph
