#include "aoi/world/operations/sensor_operations.hpp"

#include <algorithm>
#include <cassert>

#include "aoi/check.hpp"

namespace starbus::aoi {

Result<SensorId> SensorOperations::add(EntityId owner, const SensorOptions& of,
                                       SensorHandlers::Handler own) {
  if (const auto good = check(of); !good) return good.error();
  Tables& tables = parts_.tables;
  if (!tables.entity_ids.valid(owner.value)) return Errc::unknown_entity;
  if (tables.entities.size() <= owner.index()) tables.entities.resize(owner.index() + 1u);
  if (const auto good = check_owner(owner, of); !good) return good.error();
  const bool symmetric = of.limit.policy == LimitPolicy::symmetric;
  // A beacon, or a member of symmetric lists, may be among the collected removals.
  if (!parts_.pins.beacons().empty() || symmetric) parts_.removals.settle();
  const auto filter = acquire(of.filter);
  if (!filter) return Error(Errc::too_many, "kMaxFilters");
  const SensorId id{tables.sensor_ids.allocate()};
  if (!id) {
    tables.scene.filters.release(*filter);
    return Error(Errc::too_many, "kMaxSensors");
  }
  ++tables.entities[owner.index()].sensors;
  if (of.indexed) {
    parts_.numberings.begin(owner.index(), id);
    parts_.numberings.set_group(id, of.group);
  }
  if (own) parts_.handlers.add(id, std::move(own));
  if (parts_.deferred.active()) {
    parts_.deferred.expect_sensor({id, owner.index(), symmetric, of.indexed});
  }
  (void)parts_.deferred.run([this, id, owner, of, number = *filter]() -> Result<> {
    do_add(id, owner.index(), of, number);
    return {};
  });
  return id;
}

Result<> SensorOperations::check_owner(EntityId owner, const SensorOptions& of) const {
  if (parts_.tables.entities[owner.index()].sensors == kMaxSensorsPerEntity) {
    return Error(Errc::too_many, "kMaxSensorsPerEntity");
  }
  const bool symmetric = of.limit.policy == LimitPolicy::symmetric;
  if (symmetric && has_symmetric(owner.index())) {
    return Error(Errc::bad_option, "one symmetric sensor per entity");
  }
  if (symmetric && is_hidden(owner)) {
    return Error(Errc::bad_option, "a symmetric sensor needs an observable entity");
  }
  if (of.indexed && has_indexed(owner.index())) {
    return Error(Errc::bad_option, "one indexed sensor per entity: its client has one numbering");
  }
  if (of.indexed && !parts_.numberings.can_begin(owner.index())) {
    return Error(Errc::too_many, "kMaxEpoch");
  }
  return {};
}

// Counts sensors that are deferred, not those that are being removed.
bool SensorOperations::has_symmetric(EntityIndex owner) const {
  const Tables& tables = parts_.tables;
  if (parts_.lists.joined(owner) &&
      tables.sensor_ids.valid(tables.sensor_id(parts_.lists.sensor_of(owner)).value)) {
    return true;
  }
  return std::ranges::any_of(parts_.deferred.sensors(), [&](const Deferred::Sensor& one) {
    return one.owner == owner && one.symmetric && tables.sensor_ids.valid(one.id.value);
  });
}

bool SensorOperations::has_indexed(EntityIndex owner) const {
  const Tables& tables = parts_.tables;
  bool found = false;
  if (owner < tables.scene.first_sensor.size()) {
    tables.each_sensor_of(owner, [&](SensorIndex s) {
      found = found ||
              (tables.sensors[s].indexed && tables.sensor_ids.valid(tables.sensor_id(s).value));
    });
  }
  return found || std::ranges::any_of(parts_.deferred.sensors(), [&](const Deferred::Sensor& one) {
           return one.owner == owner && one.indexed && tables.sensor_ids.valid(one.id.value);
         });
}

bool SensorOperations::is_hidden(EntityId entity) const {
  if (!parts_.tables.lives(entity)) return parts_.deferred.is_hidden(entity);
  return parts_.tables.scene.observable[entity.index()] == 0;
}

std::optional<FilterNumber> SensorOperations::acquire(const Filter& filter) {
  FilterTable& filters = parts_.tables.scene.filters;
  auto acquired = filters.acquire(filter);
  if (!acquired && !parts_.removals.empty()) {  // these may leave a number free
    parts_.removals.settle();
    acquired = filters.acquire(filter);
  }
  if (!acquired) return std::nullopt;
  // Walks all places, so only for a filter that backends have no bits of.
  if (acquired->fresh) parts_.index.refilter_all(acquired->number);
  return acquired->number;
}

void SensorOperations::do_add(SensorId id, EntityIndex owner, const SensorOptions& of,
                              FilterNumber filter) {
  Tables& tables = parts_.tables;
  const SensorIndex sensor = id.index();
  tables.fit_sensor(sensor);
  assert(!tables.sensors[sensor].live && owner < tables.scene.spots.size());
  tables.scene.always[sensor] = false;
  tables.sensors[sensor] = {};
  tables.sensors[sensor].live = true;
  tables.sensors[sensor].indexed = of.indexed;
  Watch& watch = tables.scene.watches[sensor];
  watch = {};
  watch.owner = owner;
  watch.geometric = of.limit.policy != LimitPolicy::symmetric;
  tables.link(sensor);
  parts_.schedule.add(sensor);
  set_watch(sensor, of, filter);
  if (watch.geometric) {
    ++tables.geometric_sensors;
    parts_.index.attach(sensor);
  } else {
    parts_.lists.join(owner, sensor);
  }
  parts_.interest.manage_if_needed(sensor);
  if (parts_.interest.shows_beacons(sensor)) parts_.interest.manage_new(sensor);
}

void SensorOperations::set_watch(SensorIndex sensor, const SensorOptions& of, FilterNumber filter) {
  Tables& tables = parts_.tables;
  SensorRow& row = tables.sensors[sensor];
  if (row.period != 1) --tables.sensors_with_period;
  if (of.period != 1) ++tables.sensors_with_period;
  row.limit = of.limit;
  row.period = of.period;
  row.priority = of.priority;
  row.sees_beacons = of.sees_beacons;
  Watch& watch = tables.scene.watches[sensor];
  watch.radius = of.radius;
  watch.leave_margin = of.leave_margin;
  watch.min_height = of.min_height;
  watch.max_height = of.max_height;
  watch.has_height = of.min_height != 0 || of.max_height != 0;
  watch.has_margin = of.leave_margin > 0;
  watch.filter = filter;
  watch.tracked = row.managed || row.limited();
}

Result<> SensorOperations::remove(SensorId id) {
  Tables& tables = parts_.tables;
  if (!tables.sensor_ids.valid(id.value)) return Errc::unknown_sensor;
  tables.sensor_ids.retire(id.index());
  return parts_.deferred.run([this, id]() -> Result<> {
    if (!parts_.tables.lives(id)) return Errc::unknown_sensor;
    parts_.removals.remove_sensor(id);
    return {};
  });
}

// True if a live sensor would have to join or leave the symmetric lists.
bool SensorOperations::changes_symmetry(SensorId id, const SensorOptions& of) const {
  return parts_.tables.scene.watches[id.index()].geometric ==
         (of.limit.policy == LimitPolicy::symmetric);
}

Result<> SensorOperations::set_options(SensorId id, const SensorOptions& of) {
  if (const auto good = check(of); !good) return good.error();
  Tables& tables = parts_.tables;
  if (!tables.sensor_ids.valid(id.value)) return Errc::unknown_sensor;
  const auto filter = acquire(of.filter);
  if (!filter) return Error(Errc::too_many, "kMaxFilters");
  if (tables.lives(id) && changes_symmetry(id, of)) {
    tables.scene.filters.release(*filter);
    return Error(Errc::bad_option, "the policy symmetric can neither be taken up nor left");
  }
  return parts_.deferred.run([this, id, of, number = *filter]() -> Result<> {
    const bool lives = parts_.tables.lives(id);
    if (!lives || changes_symmetry(id, of)) {
      parts_.tables.scene.filters.release(number);
      return lives ? Errc::bad_option : Errc::unknown_sensor;
    }
    do_set_options(id, of, number);
    return {};
  });
}

void SensorOperations::do_set_options(SensorId id, const SensorOptions& of, FilterNumber filter) {
  const SensorIndex sensor = id.index();
  Scene& scene = parts_.tables.scene;
  const bool counted = scene.watches[sensor].tracked;
  if (!parts_.pins.beacons().empty()) parts_.interest.manage(sensor);
  scene.filters.release(scene.watches[sensor].filter);
  set_watch(sensor, of, filter);
  parts_.numberings.set_group(id, of.group);
  if (scene.watches[sensor].tracked && !counted) parts_.interest.count_in_range(sensor);
  parts_.interest.manage_if_needed(sensor);
  evaluate_again(sensor);
}

Result<> SensorOperations::set_radius(SensorId id, float radius, float leave_margin) {
  if (const auto good = check_radius(radius, leave_margin); !good) return good;
  if (!parts_.tables.sensor_ids.valid(id.value)) return Errc::unknown_sensor;
  return parts_.deferred.run([this, id, radius, leave_margin]() -> Result<> {
    if (!parts_.tables.lives(id)) return Errc::unknown_sensor;
    do_set_radius(id.index(), radius, leave_margin);
    return {};
  });
}

void SensorOperations::do_set_radius(SensorIndex sensor, float radius, float leave_margin) {
  Watch& watch = parts_.tables.scene.watches[sensor];
  watch.radius = radius;
  watch.leave_margin = leave_margin;
  watch.has_margin = leave_margin > 0;
  evaluate_again(sensor);
}

// The watch of the sensor has changed.
void SensorOperations::evaluate_again(SensorIndex sensor) {
  const Watch& watch = parts_.tables.scene.watches[sensor];
  if (watch.geometric) {
    parts_.index.rewatch(sensor);
  } else {
    parts_.lists.recheck(watch.owner);
  }
  parts_.interest.decide_later(sensor);
}

}  // namespace starbus::aoi
