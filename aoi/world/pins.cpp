#include "aoi/world/pins.hpp"

#include <algorithm>
#include <cassert>

#include "aoi/limits.hpp"

namespace starbus::aoi {

void Pins::force(SensorIndex sensor, EntityIndex target) {
  std::vector<EntityIndex>& forced = tables_.sensors[sensor].managed->forced;
  assert(forced.size() < kMaxForced && !contains_value(forced, target));
  forced.insert(std::lower_bound(forced.begin(), forced.end(), target), target);
  forced_for_[target].push_back(sensor);
}

void Pins::unforce(SensorIndex sensor, EntityIndex target) {
  std::vector<EntityIndex>& forced = tables_.sensors[sensor].managed->forced;
  assert(contains_value(forced, target));
  forced.erase(std::lower_bound(forced.begin(), forced.end(), target));
  std::erase(forced_for_[target], sensor);
  released_.push_back(target);
}

bool Pins::is_forced(SensorIndex sensor, EntityIndex target) const {
  const auto& managed = tables_.sensors[sensor].managed;
  return managed && contains_value(managed->forced, target);
}

std::span<const SensorIndex> Pins::forced_for(EntityIndex target) const {
  const auto at = forced_for_.find(target);
  if (at == forced_for_.end()) return {};
  return at->second;
}

void Pins::drop_sensor(SensorIndex sensor) {
  for (const EntityIndex target : tables_.sensors[sensor].managed->forced) {
    std::erase(forced_for_[target], sensor);
  }
}

void Pins::set_beacon(EntityIndex entity, bool on) {
  assert(tables_.entities[entity].beacon != on);
  const auto at = std::lower_bound(beacons_.begin(), beacons_.end(), entity);
  if (on) {
    assert(beacons_.size() < kMaxBeacons);
    beacons_.insert(at, entity);
  } else {
    beacons_.erase(at);
    released_.push_back(entity);
  }
  tables_.entities[entity].beacon = on;
}

bool Pins::pins(SensorIndex sensor, EntityIndex target) const {
  const SensorRow& row = tables_.sensors[sensor];
  if (row.managed && contains_value(row.managed->forced, target)) return true;
  const Scene& scene = tables_.scene;
  const Watch& watch = scene.watches[sensor];
  return tables_.entities[target].beacon && row.sees_beacons && watch.owner != target &&
         scene.filters.passes(watch.filter, scene.flags[target]);
}

void Pins::add_to(SensorIndex sensor, std::vector<EntityIndex>& shown) const {
  if (const auto& managed = tables_.sensors[sensor].managed) {
    shown.insert(shown.end(), managed->forced.begin(), managed->forced.end());
  }
  for (const EntityIndex beacon : beacons_) {
    if (pins(sensor, beacon)) shown.push_back(beacon);
  }
  std::sort(shown.begin(), shown.end());
  shown.erase(std::unique(shown.begin(), shown.end()), shown.end());
}

bool Pins::is_or_was_pinned(EntityIndex entity) const {
  return tables_.entities[entity].beacon ||
         std::find(released_.begin(), released_.end(), entity) != released_.end();
}

void Pins::forget(EntityIndex entity) {
  if (tables_.entities[entity].beacon) {
    beacons_.erase(std::lower_bound(beacons_.begin(), beacons_.end(), entity));
  }
  const auto forced = forced_for_.find(entity);
  if (forced == forced_for_.end()) return;
  for (const SensorIndex sensor : forced->second) {
    std::erase(tables_.sensors[sensor].managed->forced, entity);
  }
  forced_for_.erase(forced);
}

}  // namespace starbus::aoi
