// What managed sensors show.
#include <algorithm>
#include <cassert>
#include <iterator>

#include "aoi/world_impl.hpp"

namespace starbus::aoi {

void World::Impl::manage_or_not(SensorIndex sensor) {
  const SensorRow& row = sensors_[sensor];
  const bool beacons = row.sees_beacons && !beacons_.empty();
  if (row.limit.policy != LimitPolicy::none || row.indexed || beacons) manage(sensor);
  if (row.managed && beacons) row.managed->held = true;
}

void World::Impl::manage(SensorIndex sensor) {
  SensorRow& row = sensors_[sensor];
  if (row.managed) return;
  row.managed = std::make_unique<Managed>();
  scene_.watches[sensor].managed = true;
  if (!scene_.watches[sensor].geometric) return;
  index_->in_range(sensor, row.managed->told);
  std::sort(row.managed->told.begin(), row.managed->told.end());
  row.managed->in_range = static_cast<std::uint32_t>(row.managed->told.size());
  index_->rewatch(sensor);
}

void World::Impl::decide_later(SensorIndex sensor) {
  Managed* managed = sensors_[sensor].managed.get();
  if (managed == nullptr || managed->pending) return;
  managed->pending = true;
  pending_.push_back(sensor);
}

bool World::Impl::holds(SensorIndex sensor, EntityIndex target) const {
  if (holds_value(sensors_[sensor].managed->forced, target)) return true;
  const Watch& watch = scene_.watches[sensor];
  return entities_[target].beacon && sensors_[sensor].sees_beacons && watch.owner != target &&
         scene_.filters.passes(watch.filter, scene_.flags[target]);
}

// The leave of a pair of which one is going; the sets forget it at once.
void World::Impl::tell_end(SensorIndex sensor, EntityIndex target) {
  const SensorRow& row = sensors_[sensor];
  std::uint16_t index = 0;
  if (row.managed) {
    Managed& managed = *row.managed;
    const auto at = std::lower_bound(managed.told.begin(), managed.told.end(), target);
    if (at == managed.told.end() || *at != target) return;
    if (row.indexed) {
      const auto beside = managed.indices.begin() + (at - managed.told.begin());
      index = *beside;
      managed.wire.give_back(index, update_, options.quarantine);
      managed.indices.erase(beside);
    }
    managed.told.erase(at);
  }
  extra_leaves_.push_back({sensor_id(sensor), id_of(scene_.watches[sensor].owner), id_of(target),
                           Kind::leave, Reason::removed, index});
}

void World::Impl::forget_target(EntityIndex entity) {
  std::vector<SensorIndex> had;
  index_->erase(entity, had);
  for (const SensorIndex sensor : had) {
    if (sensors_[sensor].managed) --sensors_[sensor].managed->in_range;
    tell_end(sensor, entity);
    decide_later(sensor);
  }
  if (const auto forced = forced_by_.find(entity); forced != forced_by_.end()) {
    for (const SensorIndex sensor : forced->second) {
      std::erase(sensors_[sensor].managed->forced, entity);
      tell_end(sensor, entity);
    }
    forced_by_.erase(forced);
  }
  for (const EntityIndex member : symmetric_->changed()) {
    for (SensorIndex s = scene_.first_sensor[member]; s != kNone; s = scene_.watches[s].next) {
      if (!scene_.watches[s].geometric) tell_end(s, entity);
    }
  }
  if (!is_or_was_held(entity)) return;
  for (SensorIndex sensor = 0; sensor < sensors_.size(); ++sensor) {
    if (sensors_[sensor].managed) tell_end(sensor, entity);
  }
}

// As a beacon, or by anything that was undone since the last update: who shows it is not known by
// what it is now.
bool World::Impl::is_or_was_held(EntityIndex entity) const {
  return entities_[entity].beacon ||
         std::find(released_.begin(), released_.end(), entity) != released_.end();
}

// Notes what the backend has found for managed sensors, and decides what these show now.
void World::Impl::take_flips() {
  for (std::size_t i = 0; i < flips_.entries.size(); ++i) {
    if (!flips_.entries[i].managed()) continue;
    const SensorIndex sensor = flips_.entries[i].sensor();
    Managed& managed = *sensors_[sensor].managed;
    const std::size_t entered = flips_.entered_of(i).size();
    managed.in_range = managed.in_range + static_cast<std::uint32_t>(entered) -
                       static_cast<std::uint32_t>(flips_.left_of(i).size());
    decide_later(sensor);
  }
  for (const EntityIndex member : symmetric_->changed()) {
    for (SensorIndex s = scene_.first_sensor[member]; s != kNone; s = scene_.watches[s].next) {
      if (!scene_.watches[s].geometric) decide_later(s);
    }
  }
  symmetric_->settle();
  std::sort(pending_.begin(), pending_.end());
  for (const SensorIndex sensor : pending_) {
    left_.clear();
    entered_.clear();
    for (std::uint32_t i = entry_of(sensor); i != kNone; i = older_entry(i)) {
      const auto left = flips_.left_of(i);
      const auto entered = flips_.entered_of(i);
      left_.insert(left_.end(), left.begin(), left.end());
      entered_.insert(entered_.end(), entered.begin(), entered.end());
    }
    std::sort(left_.begin(), left_.end());
    std::sort(entered_.begin(), entered_.end());
    // It may have been removed, and its row be free, since it was noted.
    if (sensors_[sensor].managed && sensors_[sensor].managed->pending) decide(sensor);
  }
  pending_.clear();
}

void World::Impl::decide(SensorIndex sensor) {
  Managed& managed = *sensors_[sensor].managed;
  const Limit& limit = sensors_[sensor].limit;
  managed.pending = false;
  shown_.clear();
  const bool limited =
      limit.policy == LimitPolicy::nearest || limit.policy == LimitPolicy::priority;
  const bool crowded = limited && managed.in_range > limit.count;
  if (!scene_.watches[sensor].geometric) {
    const auto list = symmetric_->list(scene_.watches[sensor].owner);
    shown_.assign(list.begin(), list.end());
    std::sort(shown_.begin(), shown_.end());
  } else if (!crowded && !managed.crowded && !managed.held) {
    std::set_difference(managed.told.begin(), managed.told.end(), left_.begin(), left_.end(),
                        std::back_inserter(shown_));
    const auto middle = static_cast<std::ptrdiff_t>(shown_.size());
    shown_.insert(shown_.end(), entered_.begin(), entered_.end());
    std::inplace_merge(shown_.begin(), shown_.begin() + middle, shown_.end());
  } else if (!crowded) {
    index_->in_range(sensor, shown_);
    std::sort(shown_.begin(), shown_.end());
  } else if (limit.policy == LimitPolicy::nearest && !managed.held) {
    show_nearest(sensor, managed);
  } else {
    show_some(sensor, managed);
  }
  if (managed.held) add_held(sensor, managed);
  tell_difference(sensor, managed);
  managed.crowded = crowded;
  scene_.watches[sensor].always = crowded;
  managed.held = !managed.forced.empty() || (sensors_[sensor].sees_beacons && !beacons_.empty());
}

void World::Impl::add_held(SensorIndex sensor, Managed& managed) {
  shown_.insert(shown_.end(), managed.forced.begin(), managed.forced.end());
  for (const EntityIndex beacon : beacons_) {
    if (holds(sensor, beacon)) shown_.push_back(beacon);
  }
  std::sort(shown_.begin(), shown_.end());
  shown_.erase(std::unique(shown_.begin(), shown_.end()), shown_.end());
}

// shown_ becomes what is told.
void World::Impl::tell_difference(SensorIndex sensor, Managed& managed) {
  const bool indexed = sensors_[sensor].indexed;
  if (shown_ == managed.told) return;
  std::vector<std::uint16_t> indices;
  std::size_t old = 0;
  std::size_t now = 0;
  while (old < managed.told.size() || now < shown_.size()) {
    const bool left =
        now == shown_.size() || (old < managed.told.size() && managed.told[old] < shown_[now]);
    if (left) {
      const std::uint16_t index = indexed ? managed.indices[old] : std::uint16_t{0};
      if (indexed) managed.wire.give_back(index, update_, options.quarantine);
      const EntityIndex target = managed.told[old++];
      tell_managed(sensor, target, Kind::leave, reason_of_leave(sensor, target), index);
      continue;
    }
    const EntityIndex target = shown_[now++];
    const bool kept = old < managed.told.size() && managed.told[old] == target;
    std::uint16_t index = 0;
    if (kept) {
      index = indexed ? managed.indices[old] : std::uint16_t{0};
      ++old;
    } else {
      if (indexed) index = managed.wire.take(update_);
      tell_managed(sensor, target, Kind::enter, reason_of_enter(sensor, target), index);
    }
    if (indexed) indices.push_back(index);
  }
  managed.told.swap(shown_);
  managed.indices.swap(indices);
}

void World::Impl::tell_managed(SensorIndex sensor, EntityIndex target, Kind kind, Reason reason,
                               std::uint16_t index) {
  if (kind == Kind::leave && reason == Reason::limit) ++evictions_;
  (kind == Kind::leave ? extra_leaves_ : extra_enters_)
      .push_back({sensor_id(sensor), id_of(scene_.watches[sensor].owner), id_of(target), kind,
                  reason, index});
}

Reason World::Impl::reason_of_leave(SensorIndex sensor, EntityIndex target) const {
  const Watch& watch = scene_.watches[sensor];
  if (!watch.geometric) {
    if (!scene_.filters.passes(watch.filter, scene_.flags[target])) return Reason::filter;
    if (!symmetric_->joined(target)) return Reason::forced;
    return symmetric_->in_block(watch.owner, target) ? Reason::limit : Reason::geometry;
  }
  if (index_->has(sensor, target)) return Reason::limit;
  if (!holds_value(left_, target)) return Reason::forced;
  return reason_of(sensor, target, Kind::leave);
}

Reason World::Impl::reason_of_enter(SensorIndex sensor, EntityIndex target) const {
  if (sensors_[sensor].managed->held && holds(sensor, target)) return Reason::forced;
  if (!scene_.watches[sensor].geometric) return Reason::geometry;
  if (!holds_value(entered_, target)) return Reason::limit;
  return reason_of(sensor, target, Kind::enter);
}

}  // namespace starbus::aoi
