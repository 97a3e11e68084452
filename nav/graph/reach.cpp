#include "nav/graph/reach.hpp"

namespace starbus::nav::graph {

Result<Reach> Reach::create(const Graph& graph) {
  Reach reach;
  reach.parts_ = strong_parts(graph);
  const std::uint32_t count = reach.parts_.count;
  if (count > kMaxReachParts) return Error(Errc::too_large, "kMaxReachParts");
  reach.words_ = (count + 63) / 64;
  reach.table_.assign(count * reach.words_, 0);
  // Nodes by their parts.
  std::vector<std::uint32_t> first(count + 1);
  std::vector<std::uint32_t> nodes(graph.nodes());
  for (const std::uint32_t part : reach.parts_.of) ++first[part + 1];
  for (std::uint32_t part = 0; part < count; ++part) first[part + 1] += first[part];
  std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
  for (std::uint32_t node = 0; node < graph.nodes(); ++node) {
    nodes[next[reach.parts_.of[node]]++] = node;
  }
  // Edges lead to parts with lower numbers, whose rows are complete by then.
  for (std::uint32_t part = 0; part < count; ++part) {
    std::uint64_t* const row = &reach.table_[part * reach.words_];
    row[part / 64] |= std::uint64_t{1} << part % 64;
    for (std::uint32_t i = first[part]; i < first[part + 1]; ++i) {
      for (const std::uint32_t to : graph.from(nodes[i])) {
        const std::uint32_t other = reach.parts_.of[to];
        if (other == part || (row[other / 64] >> other % 64 & 1) != 0) continue;
        const std::uint64_t* const of_other = &reach.table_[other * reach.words_];
        for (std::size_t word = 0; word < reach.words_; ++word) row[word] |= of_other[word];
      }
    }
  }
  return reach;
}

}  // namespace starbus::nav::graph
