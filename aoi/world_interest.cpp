// What managed sensors show.
#include <algorithm>
#include <cassert>
#include <iterator>
#include <utility>

#include "aoi/arrays/sort_indices.hpp"
#include "aoi/world_impl.hpp"

namespace starbus::aoi {

void World::Impl::manage_or_not(SensorIndex sensor) {
  const SensorRow& row = sensors_[sensor];
  const bool beacons = row.sees_beacons && !beacons_.empty();
  const bool mutual = row.limit.policy == LimitPolicy::symmetric;
  if (mutual || row.indexed || beacons || row.crowded()) manage(sensor);
  if (row.managed && beacons) row.managed->held = true;
}

void World::Impl::manage(SensorIndex sensor) {
  SensorRow& row = sensors_[sensor];
  if (row.managed) return;
  row.managed = std::make_unique<Managed>();
  scene_.watches[sensor].noted = true;
  if (!scene_.watches[sensor].geometric) return;
  index_->in_range(sensor, row.managed->told);
  std::sort(row.managed->told.begin(), row.managed->told.end());
  row.in_range = static_cast<std::uint32_t>(row.managed->told.size());
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

// What the backend has found for sensors that are managed or may have to be.
void World::Impl::note_flips() {
  for (std::size_t i = 0; i < flips_.entries.size(); ++i) {
    if (flips_.entries[i].noted()) note(i);
  }
  for (const EntityIndex member : symmetric_->changed()) {
    for (SensorIndex s = scene_.first_sensor[member]; s != kNone; s = scene_.watches[s].next) {
      if (!scene_.watches[s].geometric) decide_later(s);
    }
  }
  symmetric_->settle();
}

void World::Impl::note(std::size_t entry) {
  const SensorIndex sensor = flips_.entries[entry].sensor();
  SensorRow& row = sensors_[sensor];
  row.in_range = row.in_range + static_cast<std::uint32_t>(flips_.entered_of(entry).size()) -
                 static_cast<std::uint32_t>(flips_.left_of(entry).size());
  if (is_calm(row)) row.managed.reset();
  if (!row.managed && row.crowded()) {
    row.managed = std::make_unique<Managed>();
    row.managed->fresh = true;
  }
  decide_later(sensor);
}

// It is managed because of its limit alone, and has been far below that: what it has told is what
// was in range, and so it is plain again.
bool World::Impl::is_calm(const SensorRow& row) const {
  if (!row.managed || !row.limited() || row.indexed || row.in_range > row.limit.count / 2) {
    return false;
  }
  const Managed& managed = *row.managed;
  return !managed.crowded && !managed.held && !managed.pending && managed.forced.empty();
}

// Decides what managed sensors show now.
void World::Impl::decide_pending() {
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
    sort_indices(left_, marks_);
    sort_indices(entered_, marks_);
    // It may have been removed, and its row be free, since it was noted.
    if (sensors_[sensor].managed && sensors_[sensor].managed->pending) decide(sensor);
  }
  pending_.clear();
}

// What was in range before this update.
void World::Impl::recall(SensorIndex sensor, Managed& managed) {
  in_range_.clear();
  index_->in_range(sensor, in_range_);
  sort_indices(in_range_, marks_);
  std::set_difference(in_range_.begin(), in_range_.end(), entered_.begin(), entered_.end(),
                      std::back_inserter(managed.told));
  const auto middle = static_cast<std::ptrdiff_t>(managed.told.size());
  managed.told.insert(managed.told.end(), left_.begin(), left_.end());
  std::inplace_merge(managed.told.begin(), managed.told.begin() + middle, managed.told.end());
}

void World::Impl::decide(SensorIndex sensor) {
  Managed& managed = *sensors_[sensor].managed;
  const Limit& limit = sensors_[sensor].limit;
  const bool crowded = sensors_[sensor].crowded();
  if (std::exchange(managed.fresh, false)) recall(sensor, managed);
  managed.pending = false;
  shown_.clear();
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
  scene_.always[sensor] = crowded;
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
  if (shown_ == managed.told) return;
  fit_marks();
  compare(managed.told, shown_, entity_marks_, gone_targets_, come_targets_);
  // Nobody has come into range or left it, and nobody is held: that is so for all at once.
  const bool by_limit =
      scene_.watches[sensor].geometric && !managed.held && left_.empty() && entered_.empty();
  Event event;
  event.sensor = sensor_id(sensor);
  event.observer = id_of(scene_.watches[sensor].owner);
  const auto add = [&](std::vector<Event>& extra, EntityIndex target) {
    event.target = EntityId{entity_ids_.value(target)};
    extra.push_back(event);
  };
  event.kind = Kind::leave;
  event.reason = Reason::limit;
  for (const EntityIndex target : gone_targets_) {
    if (!by_limit) event.reason = reason_of_leave(sensor, target);
    evictions_ += event.reason == Reason::limit ? 1 : 0;
    add(extra_leaves_, target);
  }
  event.kind = Kind::enter;
  for (const EntityIndex target : come_targets_) {
    if (!by_limit) event.reason = reason_of_enter(sensor, target);
    add(extra_enters_, target);
  }
  if (sensors_[sensor].indexed) renumber(managed);
  managed.told.swap(shown_);
}

// Gives the events of one indexed sensor, the last ones, and all that is told from now on, their
// numbers on the wire, in the order of targets.
void World::Impl::renumber(Managed& managed) {
  std::vector<std::uint16_t> indices;
  Event* leave = extra_leaves_.data() + (extra_leaves_.size() - gone_targets_.size());
  Event* enter = extra_enters_.data() + (extra_enters_.size() - come_targets_.size());
  std::size_t old = 0;
  std::size_t gone = 0;
  std::size_t come = 0;
  const auto give_back_until = [&](EntityIndex target) {
    for (; gone < gone_targets_.size() && gone_targets_[gone] < target; ++gone, ++old) {
      leave[gone].index = managed.indices[old];
      managed.wire.give_back(managed.indices[old], update_, options.quarantine);
    }
  };
  for (const EntityIndex target : shown_) {
    give_back_until(target);
    if (come < come_targets_.size() && come_targets_[come] == target) {
      indices.push_back(managed.wire.take(update_));
      enter[come++].index = indices.back();
    } else {
      indices.push_back(managed.indices[old++]);
    }
  }
  give_back_until(kNone);
  managed.indices.swap(indices);
}

Reason World::Impl::reason_of_leave(SensorIndex sensor, EntityIndex target) const {
  const Watch& watch = scene_.watches[sensor];
  if (!watch.geometric) {
    if (!scene_.filters.passes(watch.filter, scene_.flags[target])) return Reason::filter;
    if (!symmetric_->joined(target)) return Reason::forced;
    return symmetric_->in_block(watch.owner, target) ? Reason::limit : Reason::geometry;
  }
  if (holds_value(left_, target)) return reason_of(sensor, target, Kind::leave);
  // Where nobody was held, all who were shown were in range; who has not left it still is.
  const bool in_range = !sensors_[sensor].managed->held || index_->has(sensor, target);
  return in_range ? Reason::limit : Reason::forced;
}

Reason World::Impl::reason_of_enter(SensorIndex sensor, EntityIndex target) const {
  if (sensors_[sensor].managed->held && holds(sensor, target)) return Reason::forced;
  if (!scene_.watches[sensor].geometric) return Reason::geometry;
  if (!holds_value(entered_, target)) return Reason::limit;
  return reason_of(sensor, target, Kind::enter);
}

}  // namespace starbus::aoi
