#include "aoi/world/view_limits.hpp"

#include <algorithm>
#include <cassert>
#include <limits>

#include "aoi/arrays/sort_indices.hpp"
#include "aoi/measure.hpp"

namespace starbus::aoi {

Ranked ViewLimits::rank(SensorIndex sensor, EntityIndex target) const {
  const Position& from = tables_.scene.spots[tables_.owner_of(sensor)].at;
  const Position& at = tables_.scene.spots[target].at;
  const bool weighted = tables_.sensors[sensor].limit.policy == LimitPolicy::priority;
  return {weighted ? tables_.entities[target].weight : 0,
          distance_squared(at.x - from.x, at.y - from.y), target};
}

void ViewLimits::choose(SensorIndex sensor, const Managed& managed,
                        std::vector<EntityIndex>& shown) {
  assert(shown.empty());
  in_range_.clear();
  incumbents_.clear();
  newcomers_.clear();
  index_.in_range(sensor, in_range_);
  for (const EntityIndex target : in_range_) {
    if (managed.pinned && pins_.pins(sensor, target)) continue;
    const bool incumbent = contains_value(managed.reported, target);
    (incumbent ? incumbents_ : newcomers_).push_back(rank(sensor, target));
  }
  const Limit& limit = tables_.sensors[sensor].limit;
  select(incumbents_, newcomers_, limit.count, limit.margin);
  for (const Ranked& one : incumbents_) shown.push_back(one.entity);
  std::sort(shown.begin(), shown.end());
}

// No target is pinned, so all reported ones were in range, and `left` says which of them are not
// any more. The first search goes as far as the farthest target shown last: in a crowd that
// distance stays about the same, however many come and go.
void ViewLimits::choose_nearest(SensorIndex sensor, Managed& managed,
                                const std::vector<EntityIndex>& left,
                                std::vector<EntityIndex>& shown) {
  assert(shown.empty() && !managed.pinned);
  const Limit& limit = tables_.sensors[sensor].limit;
  rank_incumbents(sensor, managed, left);
  const float reach = tables_.scene.watches[sensor].reach();
  const float step = std::max(reach * reach / 64, 1.0F);
  const bool full = incumbents_.size() >= limit.count;
  float within = std::min(managed.farthest,
                          full ? incumbents_[limit.count - 1].distance_squared : reach * reach);
  while (true) {
    find_newcomers(sensor, within);
    if (enough_newcomers(limit, within) || candidates_.size() >= tables_.sensors[sensor].in_range) {
      break;
    }
    within = within > 4 * reach * reach ? std::numeric_limits<float>::infinity()
                                        : std::max(within * 2, full ? step / 64 : step);
  }
  for (const EntityIndex target : managed.reported) reported_[target / 64] = 0;
  select(incumbents_, newcomers_, limit.count, limit.margin);
  managed.farthest = 0;
  for (const Ranked& one : incumbents_) {
    managed.farthest = std::max(managed.farthest, one.distance_squared);
    shown.push_back(one.entity);
  }
  sort_indices(shown, marks_);
}

// Also marks all reported targets.
void ViewLimits::rank_incumbents(SensorIndex sensor, const Managed& managed,
                                 const std::vector<EntityIndex>& left) {
  const std::size_t words = tables_.scene.spots.size() / 64 + 1;
  if (reported_.size() < words) reported_.resize(words);
  incumbents_.clear();
  const Position& from = tables_.scene.spots[tables_.owner_of(sensor)].at;
  for (const EntityIndex target : managed.reported) {
    reported_[target / 64] |= std::uint64_t{1} << target % 64;
    if (!left.empty() && contains_value(left, target)) continue;
    const Position& at = tables_.scene.spots[target].at;
    incumbents_.push_back({0, distance_squared(at.x - from.x, at.y - from.y), target});
  }
  sort_ranked(incumbents_);
}

// Fills candidates_ with all targets that near, and newcomers_ with those not reported yet.
// Branch-free: whether a candidate is reported already is unpredictable.
void ViewLimits::find_newcomers(SensorIndex sensor, float within) {
  candidates_.clear();
  index_.in_range_within(sensor, within, candidates_);
  newcomers_.resize(candidates_.size());
  std::size_t found = 0;
  for (const Candidate& one : candidates_) {
    newcomers_[found] = {0, one.distance_squared, one.entity};
    found += (reported_[one.entity / 64] >> one.entity % 64 & 1) ^ 1;
  }
  newcomers_.resize(found);
}

// True if no target farther than `within` can get a place: neither a free one nor that of the worst
// incumbent that these newcomers leave.
bool ViewLimits::enough_newcomers(const Limit& limit, float within) const {
  const std::size_t found = newcomers_.size();
  if (found >= limit.count) return true;
  const std::size_t kept = std::min<std::size_t>(incumbents_.size(), limit.count);
  const std::size_t free = limit.count - kept;
  if (found < free) return false;
  if (found - free >= kept) return true;
  const float worst = incumbents_[kept - 1 - (found - free)].distance_squared;
  return within >= (limit.margin > 0 ? displacing_limit(worst, limit.margin) : worst);
}

}  // namespace starbus::aoi
