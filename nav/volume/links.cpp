#include "nav/volume/links.hpp"

#include <algorithm>

namespace starbus::nav::volume {

void Links::assign(std::vector<Leg> legs, std::uint32_t least_cost) {
  legs_ = std::move(legs);
  std::ranges::stable_sort(legs_, {}, &Leg::chunk);
  short_cut_ = std::ranges::any_of(legs_, [&](const Leg& leg) {
    return leg.cost < std::uint64_t{distance(leg.from, leg.to)} * least_cost;
  });
  parts_.clear();
  for (const Leg& leg : legs_) parts_.insert(parts_.end(), {leg.from_part, leg.to_part});
  std::ranges::sort(parts_);
  parts_.erase(std::unique(parts_.begin(), parts_.end()), parts_.end());
  std::vector<graph::Edge> edges;
  for (const Leg& leg : legs_) edges.push_back({*node(leg.from_part), *node(leg.to_part)});
  // kMaxLinks have ends in fewer parts than a table may have.
  reach_ = *graph::Reach::create(
      *graph::Graph::create(static_cast<std::uint32_t>(parts_.size()), edges));
}

std::span<const Links::Leg> Links::from(std::uint32_t chunk) const {
  const auto begin = std::ranges::lower_bound(legs_, chunk, {}, &Leg::chunk);
  return {begin, std::ranges::upper_bound(begin, legs_.end(), chunk, {}, &Leg::chunk)};
}

std::optional<std::uint32_t> Links::node(std::uint32_t part) const {
  const auto at = std::ranges::lower_bound(parts_, part);
  if (at == parts_.end() || *at != part) return std::nullopt;
  return static_cast<std::uint32_t>(at - parts_.begin());
}

bool Links::reaches(std::uint32_t from, std::uint32_t to) const {
  const auto a = node(from);
  const auto b = node(to);
  return a && b && reach_.reaches(*a, *b);
}

}  // namespace starbus::nav::volume
