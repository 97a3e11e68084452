#include "nav/mesh/kind.hpp"

#include <algorithm>

namespace starbus::nav::mesh {

Kind::Kind(const Agent& agent, const Areas& areas) : agent_(agent) {
  filter_.setIncludeFlags(agent.include);
  filter_.setExcludeFlags(agent.exclude);
  for (std::size_t area = 0; area <= kMaxArea; ++area) {
    filter_.setAreaCost(static_cast<int>(area), agent.costs[area]);
    passes_[area] = area != kWall && agent.passes(areas.flags[area]);
  }
}

void Kind::refresh(const Tiles& tiles, std::span<const Leg> legs) {
  legs_.clear();
  short_cut_ = false;
  for (const Leg& leg : legs) {
    if (!passes(leg.area) || !passes(tiles.area(leg.from)) || !passes(tiles.area(leg.to))) continue;
    legs_.push_back(leg);
    short_cut_ =
        short_cut_ || leg.cost * cost(leg.area) < distance(leg.start.data(), leg.end.data());
  }
  std::ranges::stable_sort(legs_, {}, &Leg::from);
  std::vector<graph::Edge> edges;
  ground_.clear();
  double sum = 0;
  for (std::uint32_t tile = 0, i = 0; tile < tiles.layout().tiles(); ++tile) {
    for (std::uint32_t number = 0; number < tiles.count(tile); ++number, ++i) {
      const Polygon of = tile << kPolygonBits | number;
      const bool passable = passes(tiles.area(of));
      if (passable) sum += size_of(tiles, of);
      ground_.push_back(sum);
      if (!passable) continue;
      for (const Way& way : tiles.ways(of)) {
        if (passes(way.area)) edges.push_back({i, tiles.index(way.to)});
      }
    }
  }
  for (const Leg& leg : legs_) edges.push_back({tiles.index(leg.from), tiles.index(leg.to)});
  // Within their limits, as kMaxPolygons and kMaxLinks are.
  parts_ = graph::strong_parts(*graph::Graph::create(tiles.count(), edges));
  // Most ways lead both ways, and within a part: few are left.
  std::erase_if(edges,
                [&](const graph::Edge& one) { return parts_.of[one.from] == parts_.of[one.to]; });
  ends_.clear();
  for (graph::Edge& one : edges) {
    one = {parts_.of[one.from], parts_.of[one.to]};
    ends_.push_back(one.from);
    ends_.push_back(one.to);
  }
  std::ranges::sort(ends_);
  ends_.erase(std::unique(ends_.begin(), ends_.end()), ends_.end());
  for (graph::Edge& one : edges) one = {node(one.from), node(one.to)};
  between_ = *graph::Graph::create(static_cast<std::uint32_t>(ends_.size()), edges);
  auto reach = graph::Reach::create(between_);
  reach_ = reach ? std::optional(std::move(*reach)) : std::nullopt;
}

// Of a part; the number of ends_ if no way leads into or out of it.
std::uint32_t Kind::node(std::uint32_t part) const {
  const auto at = std::ranges::lower_bound(ends_, part);
  const bool found = at != ends_.end() && *at == part;
  return static_cast<std::uint32_t>(found ? at - ends_.begin() : std::ssize(ends_));
}

bool Kind::reaches(std::uint32_t from, std::uint32_t to) const {
  if (parts_.of[from] == parts_.of[to]) return true;
  const std::uint32_t a = node(parts_.of[from]);
  const std::uint32_t b = node(parts_.of[to]);
  if (a == ends_.size() || b == ends_.size()) return false;
  return reach_ ? reach_->reaches(a, b) : search(a, b);
}

// Where a table would have too many parts.
bool Kind::search(std::uint32_t from, std::uint32_t to) const {
  std::vector<bool> seen(between_.nodes());
  std::vector<std::uint32_t> open = {from};
  seen[from] = true;
  while (!open.empty()) {
    const std::uint32_t one = open.back();
    open.pop_back();
    if (one == to) return true;
    for (const std::uint32_t next : between_.from(one)) {
      if (seen[next]) continue;
      seen[next] = true;
      open.push_back(next);
    }
  }
  return false;
}

std::span<const Leg> Kind::legs(Polygon from) const {
  if (legs_.empty()) return {};
  const auto first = std::ranges::lower_bound(legs_, from, {}, &Leg::from);
  const auto last = std::ranges::upper_bound(legs_, from, {}, &Leg::from);
  return {first, last};
}

double size_of(const Tiles& tiles, Polygon of) {
  double twice = 0;
  const int count = tiles.data(of).vertCount;
  const float* const a = tiles.corner(of, 0);
  for (int i = 2; i < count; ++i) {
    const float* const b = tiles.corner(of, i - 1);
    const float* const c = tiles.corner(of, i);
    twice += static_cast<double>((b[0] - a[0]) * (c[2] - a[2]) - (b[2] - a[2]) * (c[0] - a[0]));
  }
  return (twice < 0 ? -twice : twice) / 2;
}

}  // namespace starbus::nav::mesh
