#include "nav/grid/links.hpp"

#include <algorithm>

namespace starbus::nav::grid {

void LayerLinks::assign(std::vector<Pair> pairs, const Estimate& estimate) {
  pairs_ = std::move(pairs);
  legs_.clear();
  begins_.fill(0);
  short_cut_ = false;
  for (const Pair& pair : pairs_) {
    legs_.push_back({pair.from, pair.to, pair.cost, pair.number});
    if (pair.cost_back != kClosed) {
      legs_.push_back({pair.to, pair.from, pair.cost_back, pair.number});
    }
  }
  std::ranges::stable_sort(legs_, {}, &Leg::from);
  for (const Leg& leg : legs_) {
    begins_[hash(leg.from) / 64] |= std::uint64_t{1} << hash(leg.from) % 64;
    short_cut_ = short_cut_ || leg.cost < estimate.between(leg.from, leg.to);
  }
}

std::span<const LayerLinks::Leg> LayerLinks::from(Spot cell) const {
  if (!may_begin(cell)) return {};
  const auto first = std::ranges::lower_bound(legs_, cell, {}, &Leg::from);
  return {first, std::ranges::upper_bound(legs_, cell, {}, &Leg::from)};
}

const LayerLinks::Leg* LayerLinks::between(Spot from, Spot to) const {
  const Leg* best = nullptr;
  for (const Leg& leg : this->from(from)) {
    if (leg.to == to && (best == nullptr || leg.cost < best->cost)) best = &leg;
  }
  return best;
}

}  // namespace starbus::nav::grid
