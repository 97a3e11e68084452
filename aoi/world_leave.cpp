// Those who leave: together, as far as nobody asks for them meanwhile.
#include <algorithm>

#include "aoi/arrays/prefetch.hpp"
#include "aoi/world_impl.hpp"

namespace starbus::aoi {

// Those who are removed touch many lines of memory each: together they wait for them together.
// Nothing shows that they are still there: what could ask for it settles first.
void World::Impl::settle() {
  if (leaving_entities_.empty()) return;
  constexpr std::size_t kAhead = 4;
  const std::size_t count = leaving_entities_.size();
  for (std::size_t i = 0; i < count + 2 * kAhead; ++i) {
    if (i < count) fetch_sensors(leaving_entities_[i]);
    if (i >= kAhead && i < count + kAhead) index_->fetch(leaving_entities_[i - kAhead], 2);
    if (i >= 2 * kAhead) remove_sensors_of(leaving_entities_[i - 2 * kAhead]);
  }
  forget_targets();
  for (const EntityIndex entity : leaving_entities_) end_entity(entity);
  leaving_entities_.clear();
}

void World::Impl::fetch_sensors(EntityIndex entity) const {
  index_->fetch(entity, 1);
  const SensorIndex sensor = scene_.first_sensor[entity];  // most have one
  if (sensor != kNone) prefetch_line_to_write(&sensors_[sensor]);
}

void World::Impl::remove_sensors_of(EntityIndex entity) {
  while (scene_.first_sensor[entity] != kNone) {
    const SensorIndex sensor = scene_.first_sensor[entity];
    sensor_ids_.retire(sensor);
    do_remove_sensor(sensor_id(sensor));
  }
}

// Its sensors are gone, and it is no target any more.
void World::Impl::end_entity(EntityIndex entity) {
  symmetric_->forget(entity);
  if (entities_[entity].beacon) {
    beacons_.erase(std::lower_bound(beacons_.begin(), beacons_.end(), entity));
  }
  std::erase_if(reflagged_, [&](const Reflagged& row) { return row.entity == entity; });
  scene_.spots[entity].id = 0;
  const std::uint64_t key = entities_[entity].key;  // of the batches of this update
  entities_[entity] = {};
  entities_[entity].key = key;
  if (!epochs_.empty()) epochs_.erase(entity);
  entity_ids_.free(entity, update_);
}

// The leave of a pair of which one is going; the sets forget it at once.
void World::Impl::tell_end(SensorIndex sensor, EntityIndex target) {
  const SensorRow& row = sensors_[sensor];
  if (!row.managed) return endings_.lose(sensor, target);
  std::uint16_t index = 0;
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
  extra_leaves_.push_back({sensor_id(sensor), id_of(scene_.watches[sensor].owner), id_of(target),
                           Kind::leave, Reason::removed, index});
}

// Of those who leave. Numbers on the wire are given back in the order of removals, whatever the
// order in which the backend finds them, and however many are settled at once.
void World::Impl::forget_targets() {
  had_.start();
  index_->erase_all(leaving_entities_, had_);
  std::vector<Pair> noted;
  for (const Pair& pair : had_.all()) {
    if (scene_.watches[pair.sensor].noted) {
      noted.push_back(pair);
    } else {
      endings_.lose(pair.sensor, pair.target);
    }
  }
  if (place_of_.size() < scene_.spots.size()) place_of_.resize(scene_.spots.size());
  for (std::uint32_t i = 0; i < leaving_entities_.size(); ++i) place_of_[leaving_entities_[i]] = i;
  std::sort(noted.begin(), noted.end(), [this](const Pair& a, const Pair& b) {
    return place_of_[a.target] < place_of_[b.target];
  });
  std::size_t next = 0;
  for (const EntityIndex entity : leaving_entities_) {
    for (; next < noted.size() && noted[next].target == entity; ++next) {
      const SensorIndex sensor = noted[next].sensor;
      --sensors_[sensor].in_range;
      tell_end(sensor, entity);
      decide_later(sensor);
    }
    forget_held(entity);
  }
}

// Who sees it though it may be out of range.
void World::Impl::forget_held(EntityIndex entity) {
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

}  // namespace starbus::aoi
