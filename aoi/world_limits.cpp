// Who of those in range a limited sensor shows.
#include <algorithm>
#include <limits>

#include "aoi/arrays/sort_indices.hpp"
#include "aoi/measure.hpp"
#include "aoi/world_impl.hpp"

namespace starbus::aoi {

Ranked World::Impl::rank(SensorIndex sensor, EntityIndex target) const {
  const Position& from = scene_.spots[scene_.watches[sensor].owner].at;
  const Position& at = scene_.spots[target].at;
  const bool weighted = sensors_[sensor].limit.policy == LimitPolicy::priority;
  return {weighted ? entities_[target].weight : 0, distance_squared(at.x - from.x, at.y - from.y),
          target};
}

void World::Impl::fit_marks() {
  const std::size_t words = scene_.spots.size() / 64 + 1;
  if (entity_marks_.size() < words) entity_marks_.resize(words);
}

// Looks at all in range, and so serves every policy.
void World::Impl::show_some(SensorIndex sensor, Managed& managed) {
  in_range_.clear();
  incumbents_.clear();
  newcomers_.clear();
  index_->in_range(sensor, in_range_);
  for (const EntityIndex target : in_range_) {
    if (managed.held && holds(sensor, target)) continue;
    const bool incumbent = holds_value(managed.told, target);
    (incumbent ? incumbents_ : newcomers_).push_back(rank(sensor, target));
  }
  const Limit& limit = sensors_[sensor].limit;
  select(incumbents_, newcomers_, limit.count, limit.margin);
  for (const Ranked& one : incumbents_) shown_.push_back(one.entity);
  std::sort(shown_.begin(), shown_.end());
}

// Nobody is held, so told were all in range, and who of them left is known. Only candidates that
// are near enough to displace somebody or to fill a place are looked at: first those as near as the
// farthest that was shown, for in a crowd that stays about the same, however many come and go.
void World::Impl::show_nearest(SensorIndex sensor, Managed& managed) {
  const Limit& limit = sensors_[sensor].limit;
  incumbents_.clear();
  fit_marks();
  const Position& from = scene_.spots[scene_.watches[sensor].owner].at;
  for (const EntityIndex target : managed.told) {
    entity_marks_[target / 64] |= std::uint64_t{1} << target % 64;
    if (!left_.empty() && holds_value(left_, target)) continue;
    const Position& at = scene_.spots[target].at;
    incumbents_.push_back({0, distance_squared(at.x - from.x, at.y - from.y), target});
  }
  sort_ranked(incumbents_);
  const float reach = scene_.watches[sensor].reach();
  const float step = std::max(reach * reach / 64, 1.0F);
  const bool full = incumbents_.size() >= limit.count;
  float within = std::min(managed.farthest,
                          full ? incumbents_[limit.count - 1].distance_squared : reach * reach);
  while (true) {
    find_newcomers(sensor, within);
    if (enough_newcomers(limit, within) || candidates_.size() >= sensors_[sensor].in_range) break;
    within = within > 4 * reach * reach ? std::numeric_limits<float>::infinity()
                                        : std::max(within * 2, full ? step / 64 : step);
  }
  for (const EntityIndex target : managed.told) entity_marks_[target / 64] = 0;
  select(incumbents_, newcomers_, limit.count, limit.margin);
  managed.farthest = 0;
  for (const Ranked& one : incumbents_) {
    managed.farthest = std::max(managed.farthest, one.distance_squared);
    shown_.push_back(one.entity);
  }
  sort_indices(shown_, marks_);
}

// All candidates that near, and of them those that are not shown yet.
void World::Impl::find_newcomers(SensorIndex sensor, float within) {
  candidates_.clear();
  index_->in_range_within(sensor, within, candidates_);
  newcomers_.resize(candidates_.size());
  std::size_t found = 0;  // without a branch: whether one is shown already is anybody's guess
  for (const Candidate& one : candidates_) {
    newcomers_[found] = {0, one.distance_squared, one.entity};
    found += (entity_marks_[one.entity / 64] >> one.entity % 64 & 1) ^ 1;
  }
  newcomers_.resize(found);
}

// Whoever is farther than `within` finds no place any more: neither a free one nor that of the
// worst incumbent whom these newcomers leave.
bool World::Impl::enough_newcomers(const Limit& limit, float within) const {
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
