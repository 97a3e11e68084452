#include "nav/grid/link_reach.hpp"

#include <algorithm>

namespace starbus::nav::grid {

static_assert(2 * kMaxLinks <= kMaxReachParts && 2 * kMaxLinks <= kMaxGraphNodes);

void LinkReach::assign(const LayerLinks& links, const Components& components,
                       const Layout& layout) {
  const auto of = [&](Spot cell) { return components.of(layout.index(cell)); };
  components_.clear();
  for (const LayerLinks::Pair& pair : links.pairs()) {
    components_.push_back(of(pair.from));
    components_.push_back(of(pair.to));
  }
  std::ranges::sort(components_);
  components_.erase(std::unique(components_.begin(), components_.end()), components_.end());
  std::vector<graph::Edge> edges;
  for (const LayerLinks::Leg& leg : links.legs()) {
    edges.push_back({*node(of(leg.from)), *node(of(leg.to))});
  }
  // Within their limits, by the assertion above.
  const auto nodes = static_cast<std::uint32_t>(components_.size());
  reach_ = *graph::Reach::create(*graph::Graph::create(nodes, edges));
}

std::optional<std::uint32_t> LinkReach::node(std::uint32_t component) const {
  const auto at = std::ranges::lower_bound(components_, component);
  if (at == components_.end() || *at != component) return std::nullopt;
  return static_cast<std::uint32_t>(at - components_.begin());
}

}  // namespace starbus::nav::grid
