#include "aoi/world/removals.hpp"

#include <algorithm>
#include <cassert>

#include "aoi/arrays/prefetch.hpp"
#include "aoi/arrays/sort_indices.hpp"

namespace starbus::aoi {

void Removals::add(EntityIndex entity) {
  removed_.push_back(entity);
  prefetch_line_to_write(&parts_.tables.scene.spots[entity]);
  prefetch_line_to_write(&parts_.tables.entities[entity]);
  parts_.index.fetch(entity, 0);
  if (removed_.size() == kTogether) settle();
}

void Removals::erase_removed() {
  constexpr std::size_t kAhead = 4;
  const std::size_t count = removed_.size();
  for (std::size_t i = 0; i < count + 2 * kAhead; ++i) {
    if (i < count) fetch_sensors(removed_[i]);
    if (i >= kAhead && i < count + kAhead) parts_.index.fetch(removed_[i - kAhead], 2);
    if (i >= 2 * kAhead) remove_sensors_of(removed_[i - 2 * kAhead]);
  }
  erase_targets();
  for (const EntityIndex entity : removed_) erase_entity(entity);
  removed_.clear();
}

void Removals::fetch_sensors(EntityIndex entity) const {
  parts_.index.fetch(entity, 1);
  const SensorIndex sensor = parts_.tables.scene.first_sensor[entity];  // most have one
  if (sensor != kNone) prefetch_line_to_write(&parts_.tables.sensors[sensor]);
}

void Removals::remove_sensors_of(EntityIndex entity) {
  Tables& tables = parts_.tables;
  while (tables.scene.first_sensor[entity] != kNone) {
    const SensorIndex sensor = tables.scene.first_sensor[entity];
    tables.sensor_ids.retire(sensor);
    remove_sensor(tables.sensor_id(sensor));
  }
}

void Removals::remove_sensor(SensorId id) {
  Tables& tables = parts_.tables;
  assert(tables.lives(id) && !tables.sensor_ids.valid(id.value));
  const SensorIndex sensor = id.index();
  SensorRow& row = tables.sensors[sensor];
  Watch& watch = tables.scene.watches[sensor];
  std::vector<EntityIndex> saw;
  if (parts_.interest.shows_beacons(sensor)) parts_.interest.manage(sensor);
  if (watch.geometric) {
    --tables.geometric_sensors;
    parts_.index.detach(sensor, saw);
  } else {
    parts_.lists.leave(watch.owner);
  }
  if (row.managed) {
    saw = row.managed->reported;
    for (const EntityIndex target : saw) parts_.views.end_pair(sensor, target);
    saw.clear();  // all is reported
    parts_.pins.drop_sensor(sensor);
  }
  sort_indices(saw, marks_);
  parts_.endings.end(sensor, tables.id_of(watch.owner), saw);
  tables.unlink(sensor);
  assert(tables.entities[watch.owner].sensors > 0);
  --tables.entities[watch.owner].sensors;
  tables.scene.filters.release(watch.filter);
  if (row.period != 1) --tables.sensors_with_period;
  parts_.handlers.end(id);
  if (row.indexed) parts_.numberings.end(id);
  watch = {};
  row = {};
  tables.sensor_ids.free(sensor, tables.update);
}

// Takes the removed entities out of the backend, and reports their leaves. Wire indices are given
// back in the order of removals, whatever the order in which the backend finds the pairs, and
// however many are erased at once.
void Removals::erase_targets() {
  const auto is_beacon = [this](EntityIndex one) { return parts_.tables.entities[one].beacon; };
  if (std::any_of(removed_.begin(), removed_.end(), is_beacon)) {
    parts_.interest.manage_for_beacons();
  }
  had_.start();
  parts_.index.erase_all(removed_, had_);
  std::vector<Pair> tracked;
  for (const Pair& pair : had_.all()) {
    if (parts_.tables.scene.watches[pair.sensor].tracked) {
      tracked.push_back(pair);
    } else {
      parts_.endings.lose(pair.sensor, pair.target);
    }
  }
  sort_by_removal(tracked);
  std::size_t next = 0;
  for (const EntityIndex entity : removed_) {
    for (; next < tracked.size() && tracked[next].target == entity; ++next) {
      const SensorIndex sensor = tracked[next].sensor;
      assert(parts_.tables.sensors[sensor].in_range > 0);
      --parts_.tables.sensors[sensor].in_range;
      end_pair(sensor, entity);
      parts_.interest.decide_later(sensor);
    }
    end_pinned(entity);
  }
}

void Removals::sort_by_removal(std::vector<Pair>& pairs) {
  if (pairs.empty()) return;
  const std::size_t size = parts_.tables.scene.spots.size();
  if (order_.size() < size) order_.resize(size);
  for (std::uint32_t i = 0; i < removed_.size(); ++i) order_[removed_[i]] = i;
  std::sort(pairs.begin(), pairs.end(),
            [this](const Pair& a, const Pair& b) { return order_[a.target] < order_[b.target]; });
}

void Removals::end_pair(SensorIndex sensor, EntityIndex target) {
  if (parts_.tables.sensors[sensor].managed) {
    parts_.views.end_pair(sensor, target);
  } else {
    parts_.endings.lose(sensor, target);
  }
}

// Reports the leaves from managed sensors that may see the entity though it is out of range. Lists
// that have lost it have changed: the next update compares them with what they have reported.
void Removals::end_pinned(EntityIndex entity) {
  Tables& tables = parts_.tables;
  for (const SensorIndex sensor : parts_.pins.forced_for(entity)) {
    parts_.views.end_pair(sensor, entity);
  }
  if (!parts_.pins.is_or_was_pinned(entity)) return;
  for (SensorIndex sensor = 0; sensor < tables.sensors.size(); ++sensor) {
    if (tables.sensors[sensor].managed) parts_.views.end_pair(sensor, entity);
  }
}

// Its sensors are removed, and it is no target any more.
void Removals::erase_entity(EntityIndex entity) {
  Tables& tables = parts_.tables;
  assert(tables.scene.first_sensor[entity] == kNone);
  parts_.lists.forget(entity);
  parts_.pins.forget(entity);
  parts_.numberings.forget(entity);
  tables.scene.spots[entity].id = 0;
  const std::uint64_t key = tables.entities[entity].key;  // for the batches of this update
  tables.entities[entity] = {};
  tables.entities[entity].key = key;
  tables.entity_ids.free(entity, tables.update);
}

}  // namespace starbus::aoi
