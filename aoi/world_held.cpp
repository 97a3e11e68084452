// What is seen wherever it is: forced targets, beacons; and special relations.
#include <algorithm>

#include "aoi/replay/recording.hpp"
#include "aoi/world_impl.hpp"

namespace starbus::aoi {

Result<> World::Impl::force(SensorId id, EntityId target, bool on) {
  if (!sensor_ids_.valid(id.value)) return Errc::unknown_sensor;
  if (!entity_ids_.valid(target.value)) return Errc::unknown_entity;
  if (!telling_ && lives(id)) {
    const auto& managed = sensors_[id.index()].managed;
    if (scene_.watches[id.index()].owner == target.index()) {
      return Error(Errc::bad_option, "nobody sees itself");
    }
    if (on && managed && managed->forced.size() >= kMaxForced &&
        !std::binary_search(managed->forced.begin(), managed->forced.end(), target.index())) {
      return Error(Errc::too_many, "kMaxForced");
    }
  }
  if (recorder != nullptr) recorder->force(id, target, on);
  return now_or_later([this, id, target, on] { return do_force(id, target, on); });
}

Result<> World::Impl::do_force(SensorId id, EntityId target_id, bool on) {
  if (!lives(id)) return Errc::unknown_sensor;
  if (!lives(target_id)) return Errc::unknown_entity;
  const SensorIndex sensor = id.index();
  const EntityIndex target = target_id.index();
  if (scene_.watches[sensor].owner == target) return Errc::bad_option;
  if (on) manage(sensor);
  if (!sensors_[sensor].managed) return {};
  Managed& managed = *sensors_[sensor].managed;
  const auto at = std::lower_bound(managed.forced.begin(), managed.forced.end(), target);
  const bool was = at != managed.forced.end() && *at == target;
  if (was == on) return {};
  if (on) {
    if (managed.forced.size() >= kMaxForced) return Errc::too_many;
    managed.forced.insert(at, target);
    forced_by_[target].push_back(sensor);
  } else {
    managed.forced.erase(at);
    std::erase(forced_by_[target], sensor);
    released_.push_back(target);
  }
  managed.held = true;
  decide_later(sensor);
  return {};
}

Result<> World::Impl::set_beacon(EntityId id, bool on) {
  if (!entity_ids_.valid(id.value)) return Errc::unknown_entity;
  if (!telling_ && on && !entities_[id.index()].beacon && beacons_.size() >= kMaxBeacons) {
    return Error(Errc::too_many, "kMaxBeacons");
  }
  if (recorder != nullptr) recorder->set_beacon(id, on);
  return now_or_later([this, id, on] { return do_set_beacon(id, on); });
}

Result<> World::Impl::do_set_beacon(EntityId id, bool on) {
  if (!lives(id)) return Errc::unknown_entity;
  const EntityIndex entity = id.index();
  if (entities_[entity].beacon == on) return {};
  if (on && beacons_.size() >= kMaxBeacons) return Errc::too_many;
  const auto at = std::lower_bound(beacons_.begin(), beacons_.end(), entity);
  if (on) {
    beacons_.insert(at, entity);
  } else {
    beacons_.erase(at);
    released_.push_back(entity);
  }
  entities_[entity].beacon = on;
  for (SensorIndex sensor = 0; sensor < sensors_.size(); ++sensor) {
    if (!sensors_[sensor].live || !sensors_[sensor].sees_beacons) continue;
    manage(sensor);
    sensors_[sensor].managed->held = true;
    decide_later(sensor);
  }
  return {};
}

Result<> World::Impl::set_special(EntityId a, EntityId b, bool on) {
  if (!entity_ids_.valid(a.value) || !entity_ids_.valid(b.value)) return Errc::unknown_entity;
  if (a == b) return Error(Errc::bad_option, "nobody is special to itself");
  const std::size_t most = std::min<std::size_t>(kMaxSpecial, options.symmetric.capacity - 1u);
  const auto full = [this, most, a, b] {
    return !symmetric_->special(a.index(), b.index()) &&
           (symmetric_->specials(a.index()) >= most || symmetric_->specials(b.index()) >= most);
  };
  if (!telling_ && on && full()) return Error(Errc::too_many, "kMaxSpecial");
  if (recorder != nullptr) recorder->set_special(a, b, on);
  return now_or_later([this, a, b, on, full]() -> Result<> {
    if (!lives(a) || !lives(b)) return Errc::unknown_entity;
    if (on && full()) return Errc::too_many;
    symmetric_->set_special(a.index(), b.index(), on);
    return {};
  });
}

}  // namespace starbus::aoi
