#include "aoi/world/operations/pin_operations.hpp"

#include <algorithm>

namespace starbus::aoi {

bool PinOperations::is_full_of_forced(SensorIndex sensor, EntityIndex target) const {
  const auto& managed = tables_.sensors[sensor].managed;
  return managed && managed->forced.size() >= kMaxForced && !pins_.is_forced(sensor, target);
}

Result<> PinOperations::force(SensorId id, EntityId target, bool on) {
  if (!tables_.sensor_ids.valid(id.value)) return Errc::unknown_sensor;
  if (!tables_.entity_ids.valid(target.value)) return Errc::unknown_entity;
  if (!deferred_.active() && tables_.lives(id)) {
    if (tables_.owner_of(id.index()) == target.index()) {
      return Error(Errc::bad_option, "an entity does not see itself");
    }
    if (on && is_full_of_forced(id.index(), target.index())) {
      return Error(Errc::too_many, "kMaxForced");
    }
  }
  return deferred_.run([this, id, target, on] { return do_force(id, target, on); });
}

Result<> PinOperations::do_force(SensorId id, EntityId target_id, bool on) {
  if (!tables_.lives(id)) return Errc::unknown_sensor;
  if (!tables_.lives(target_id)) return Errc::unknown_entity;
  const SensorIndex sensor = id.index();
  const EntityIndex target = target_id.index();
  if (tables_.owner_of(sensor) == target) return Errc::bad_option;
  if (on) interest_.manage(sensor);
  if (pins_.is_forced(sensor, target) == on) return {};
  if (on) {
    if (is_full_of_forced(sensor, target)) return Errc::too_many;
    pins_.force(sensor, target);
  } else {
    pins_.unforce(sensor, target);
  }
  tables_.sensors[sensor].managed->pinned = true;
  interest_.decide_later(sensor);
  return {};
}

Result<> PinOperations::set_beacon(EntityId id, bool on) {
  if (!tables_.entity_ids.valid(id.value)) return Errc::unknown_entity;
  if (!deferred_.active() && on && !tables_.entities[id.index()].beacon &&
      pins_.beacons().size() >= kMaxBeacons) {
    return Error(Errc::too_many, "kMaxBeacons");
  }
  return deferred_.run([this, id, on] { return do_set_beacon(id, on); });
}

Result<> PinOperations::do_set_beacon(EntityId id, bool on) {
  if (!tables_.lives(id)) return Errc::unknown_entity;
  const EntityIndex entity = id.index();
  if (tables_.entities[entity].beacon == on) return {};
  if (on && pins_.beacons().size() >= kMaxBeacons) return Errc::too_many;
  interest_.manage_for_beacons();
  pins_.set_beacon(entity, on);
  return {};
}

// A list that is full of special relations could take no other entity.
bool PinOperations::is_full_of_specials(EntityId a, EntityId b) const {
  const std::size_t most =
      std::min<std::size_t>(kMaxSpecial, tables_.options.symmetric.capacity - 1u);
  return !lists_.special(a.index(), b.index()) &&
         (lists_.specials(a.index()) >= most || lists_.specials(b.index()) >= most);
}

Result<> PinOperations::set_special(EntityId a, EntityId b, bool on) {
  if (!tables_.entity_ids.valid(a.value) || !tables_.entity_ids.valid(b.value)) {
    return Errc::unknown_entity;
  }
  if (a == b) return Error(Errc::bad_option, "an entity is not special to itself");
  if (!deferred_.active() && on && is_full_of_specials(a, b)) {
    return Error(Errc::too_many, "kMaxSpecial");
  }
  return deferred_.run([this, a, b, on]() -> Result<> {
    if (!tables_.lives(a) || !tables_.lives(b)) return Errc::unknown_entity;
    if (on && is_full_of_specials(a, b)) return Errc::too_many;
    lists_.set_special(a.index(), b.index(), on);
    return {};
  });
}

}  // namespace starbus::aoi
