#include "aoi/world/interest.hpp"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <utility>

#include "aoi/arrays/sort_indices.hpp"

namespace starbus::aoi {

void Interest::manage_if_needed(SensorIndex sensor) {
  const SensorRow& row = tables_.sensors[sensor];
  const bool mutual = row.limit.policy == LimitPolicy::symmetric;
  if (mutual || row.crowded()) manage(sensor);
  if (row.managed && shows_beacons(sensor)) row.managed->pinned = true;
}

bool Interest::shows_beacons(SensorIndex sensor) const {
  const SensorRow& row = tables_.sensors[sensor];
  return row.live && row.sees_beacons && !pins_.beacons().empty();
}

void Interest::manage_for_beacons() {
  for (SensorIndex sensor = 0; sensor < tables_.sensors.size(); ++sensor) {
    const SensorRow& row = tables_.sensors[sensor];
    if (!row.live || !row.sees_beacons) continue;
    manage(sensor);
    row.managed->pinned = true;
    decide_later(sensor);
  }
}

void Interest::manage_new(SensorIndex sensor) {
  manage(sensor);
  tables_.sensors[sensor].managed->reported.clear();
  decide_later(sensor);
}

void Interest::manage(SensorIndex sensor) {
  SensorRow& row = tables_.sensors[sensor];
  assert(row.live);
  if (row.managed) return;
  row.managed = std::make_unique<Managed>();
  row.managed->pinned = shows_beacons(sensor);
  Watch& watch = tables_.scene.watches[sensor];
  watch.tracked = true;
  if (!watch.geometric) return;
  std::vector<EntityIndex>& reported = row.managed->reported;
  index_.in_range(sensor, reported);
  std::sort(reported.begin(), reported.end());
  row.in_range = static_cast<std::uint32_t>(reported.size());
  if (shows_beacons(sensor)) pins_.add_to(sensor, reported);
  index_.rewatch(sensor);
}

void Interest::decide_later(SensorIndex sensor) {
  Managed* managed = tables_.sensors[sensor].managed.get();
  if (managed == nullptr || managed->pending) return;
  managed->pending = true;
  pending_.push_back(sensor);
}

void Interest::count_in_range(SensorIndex sensor) {
  in_range_.clear();
  index_.in_range(sensor, in_range_);
  tables_.sensors[sensor].in_range = static_cast<std::uint32_t>(in_range_.size());
}

void Interest::note_delta() {
  const Delta& delta = deltas_.delta();
  for (std::size_t i = 0; i < delta.entries.size(); ++i) {
    if (delta.entries[i].tracked()) note(i);
  }
  for (const EntityIndex member : lists_.changed()) {
    tables_.each_sensor_of(member, [&](SensorIndex sensor) {
      if (!tables_.scene.watches[sensor].geometric) decide_later(sensor);
    });
  }
  lists_.settle();
}

void Interest::note(std::size_t entry) {
  Delta& delta = deltas_.delta();
  const SensorIndex sensor = delta.entries[entry].sensor();
  SensorRow& row = tables_.sensors[sensor];
  row.in_range = row.in_range + static_cast<std::uint32_t>(delta.entered_of(entry).size()) -
                 static_cast<std::uint32_t>(delta.left_of(entry).size());
  if (is_calm(row)) row.managed.reset();
  if (!row.managed && row.crowded()) {
    row.managed = std::make_unique<Managed>();
    row.managed->fresh = true;
    row.managed->pinned = shows_beacons(sensor);
  }
  decide_later(sensor);
}

// True if the sensor is managed because of its limit alone, and is far below that: then it has
// reported what was in range, and can be plain again.
bool Interest::is_calm(const SensorRow& row) const {
  if (!row.managed || !row.limited() || row.in_range > row.limit.count / 2) return false;
  const Managed& managed = *row.managed;
  return !managed.crowded && !managed.pinned && !managed.pending && managed.forced.empty();
}

void Interest::decide_pending() {
  std::sort(pending_.begin(), pending_.end());
  for (const SensorIndex sensor : pending_) {
    // The sensor may have been removed since it was scheduled, and its row be free.
    const auto& managed = tables_.sensors[sensor].managed;
    if (!managed || !managed->pending) continue;
    deltas_.collect(sensor, left_, entered_, marks_);
    decide(sensor);
  }
  pending_.clear();
}

// Sets what was in range, and so reported, before this update.
void Interest::recall(SensorIndex sensor, Managed& managed) {
  assert(managed.reported.empty());
  in_range_.clear();
  index_.in_range(sensor, in_range_);
  sort_indices(in_range_, marks_);
  std::set_difference(in_range_.begin(), in_range_.end(), entered_.begin(), entered_.end(),
                      std::back_inserter(managed.reported));
  const auto middle = static_cast<std::ptrdiff_t>(managed.reported.size());
  managed.reported.insert(managed.reported.end(), left_.begin(), left_.end());
  std::inplace_merge(managed.reported.begin(), managed.reported.begin() + middle,
                     managed.reported.end());
  if (managed.pinned) pins_.add_to(sensor, managed.reported);
}

void Interest::decide(SensorIndex sensor) {
  const SensorRow& row = tables_.sensors[sensor];
  Managed& managed = *row.managed;
  const bool crowded = row.crowded();
  if (std::exchange(managed.fresh, false)) recall(sensor, managed);
  managed.pending = false;
  show(sensor, managed, crowded);
  if (managed.pinned) pins_.add_to(sensor, shown_);
  changes_.report(sensor, {left_, entered_}, shown_);
  managed.crowded = crowded;
  tables_.scene.always[sensor] = crowded;
  managed.pinned = !managed.forced.empty() || shows_beacons(sensor);
  const bool may_crowd = row.limited() && row.in_range > row.limit.count / 2;
  const bool calm =
      tables_.scene.watches[sensor].geometric && managed.forced.empty() && !crowded && !may_crowd;
  if (calm) calm_.push_back(sensor);
}

// What these show is in the backend, beside beacons.
void Interest::release_calm() {
  for (const SensorIndex sensor : calm_) {
    SensorRow& row = tables_.sensors[sensor];
    row.managed.reset();
    if (row.limited()) continue;  // what is in range is counted
    tables_.scene.watches[sensor].tracked = false;
    index_.rewatch(sensor);
  }
  calm_.clear();
}

// Fills shown_ with what the sensor shows, sorted, without pinned targets that are out of range.
void Interest::show(SensorIndex sensor, Managed& managed, bool crowded) {
  shown_.clear();
  const Watch& watch = tables_.scene.watches[sensor];
  if (!watch.geometric) {
    const auto list = lists_.list(watch.owner);
    shown_.assign(list.begin(), list.end());
    std::sort(shown_.begin(), shown_.end());
  } else if (!crowded && !managed.crowded && !managed.pinned) {
    show_by_delta(managed);
  } else if (!crowded) {
    index_.in_range(sensor, shown_);
    std::sort(shown_.begin(), shown_.end());
  } else if (tables_.sensors[sensor].limit.policy == LimitPolicy::nearest && !managed.pinned) {
    limits_.choose_nearest(sensor, managed, left_, shown_);
  } else {
    limits_.choose(sensor, managed, shown_);
  }
}

void Interest::show_by_delta(const Managed& managed) {
  std::set_difference(managed.reported.begin(), managed.reported.end(), left_.begin(), left_.end(),
                      std::back_inserter(shown_));
  const auto middle = static_cast<std::ptrdiff_t>(shown_.size());
  shown_.insert(shown_.end(), entered_.begin(), entered_.end());
  std::inplace_merge(shown_.begin(), shown_.begin() + middle, shown_.end());
}

}  // namespace starbus::aoi
