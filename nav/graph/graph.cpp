#include "nav/graph/graph.hpp"

#include <algorithm>
#include <limits>

namespace starbus::nav::graph {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

// Tarjan's search, with a stack of its own: a chain of a million nodes must not end the program.
class Tarjan {
 public:
  explicit Tarjan(const Graph& graph)
      : graph_(graph), order_(graph.nodes(), kNone), low_(graph.nodes()) {
    parts_.of.assign(graph.nodes(), kNone);
  }

  Parts run() {
    for (std::uint32_t node = 0; node < graph_.nodes(); ++node) {
      if (order_[node] == kNone) visit(node);
    }
    return std::move(parts_);
  }

 private:
  struct Frame {
    std::uint32_t node;
    std::uint32_t next;  ///< edge to look at
  };

  void enter(std::uint32_t node) {
    order_[node] = low_[node] = seen_++;
    open_.push_back(node);
    frames_.push_back({node, 0});
  }

  void visit(std::uint32_t root) {
    enter(root);
    while (!frames_.empty()) {
      const std::uint32_t node = frames_.back().node;
      const auto edges = graph_.from(node);
      if (frames_.back().next < edges.size()) {
        const std::uint32_t to = edges[frames_.back().next++];
        if (order_[to] == kNone) {
          enter(to);
        } else if (parts_.of[to] == kNone) {  // it is open still
          low_[node] = std::min(low_[node], order_[to]);
        }
        continue;
      }
      frames_.pop_back();
      if (!frames_.empty()) {
        const std::uint32_t before = frames_.back().node;
        low_[before] = std::min(low_[before], low_[node]);
      }
      if (low_[node] == order_[node]) close(node);
    }
  }

  // All that was opened since this node is one part.
  void close(std::uint32_t first) {
    std::uint32_t node;
    do {
      node = open_.back();
      open_.pop_back();
      parts_.of[node] = parts_.count;
    } while (node != first);
    ++parts_.count;
  }

  const Graph& graph_;
  Parts parts_;
  std::vector<std::uint32_t> order_;  ///< in which nodes were seen
  std::vector<std::uint32_t> low_;    ///< the first open node that is reached from one
  std::vector<std::uint32_t> open_;
  std::vector<Frame> frames_;
  std::uint32_t seen_ = 0;
};

}  // namespace

Result<Graph> Graph::create(std::uint32_t nodes, std::span<const Edge> edges) {
  if (nodes > kMaxGraphNodes) return Error(Errc::too_large, "kMaxGraphNodes");
  if (edges.size() > kMaxGraphEdges) return Error(Errc::too_large, "kMaxGraphEdges");
  Graph graph;
  graph.first_.assign(std::size_t{nodes} + 1, 0);
  for (const Edge& edge : edges) {
    if (edge.from >= nodes || edge.to >= nodes) return Error(Errc::bad_option, "an edge's end");
    ++graph.first_[edge.from + 1];
  }
  for (std::uint32_t node = 0; node < nodes; ++node) graph.first_[node + 1] += graph.first_[node];
  graph.to_.resize(edges.size());
  std::vector<std::uint32_t> next(graph.first_.begin(), graph.first_.end() - 1);
  for (const Edge& edge : edges) graph.to_[next[edge.from]++] = edge.to;
  return graph;
}

Parts joined_parts(const Graph& graph) {
  // Each node points towards the first one of its part.
  std::vector<std::uint32_t> parent(graph.nodes());
  for (std::uint32_t node = 0; node < graph.nodes(); ++node) parent[node] = node;
  const auto root = [&](std::uint32_t node) {
    while (parent[node] != node) node = parent[node] = parent[parent[node]];
    return node;
  };
  for (std::uint32_t node = 0; node < graph.nodes(); ++node) {
    for (const std::uint32_t to : graph.from(node)) {
      const auto [low, high] = std::minmax({root(node), root(to)});
      parent[high] = low;
    }
  }
  Parts parts;
  parts.of.resize(graph.nodes());
  for (std::uint32_t node = 0; node < graph.nodes(); ++node) {
    const std::uint32_t first = root(node);
    parts.of[node] = first == node ? parts.count++ : parts.of[first];
  }
  return parts;
}

Parts strong_parts(const Graph& graph) {
  return Tarjan(graph).run();
}

}  // namespace starbus::nav::graph
