/// The parts of a world, put together for a test as World::Impl does it, over the brute-force
/// backend; and entities and sensors without the checks of the operations.
#pragma once

#include <memory>
#include <vector>

#include "aoi/index/index.hpp"
#include "aoi/world/interest.hpp"
#include "aoi/world/schedule.hpp"

namespace starbus::aoi::test {

inline WorldOptions brute_force(const Budget& budget = {}) {
  WorldOptions of;
  of.backend = Backend::brute_force;
  of.quarantine = 2;
  of.budget = budget;
  return of;
}

struct Parts {
  explicit Parts(const WorldOptions& options = brute_force())
      : tables(options), index(make_index(options, tables.scene)) {}

  EntityIndex add_entity(float x, std::uint64_t its_flags = 0, float weight = 0) {
    const EntityId id{tables.entity_ids.allocate()};
    const EntityIndex entity = id.index();
    tables.fit_entity(entity);
    tables.scene.spots[entity] = {{x, 0, 0}, id.value};
    tables.scene.flags[entity] = its_flags;
    tables.scene.observable[entity] = 1;
    tables.scene.first_sensor[entity] = kNone;
    tables.entities[entity] = {};
    tables.entities[entity].weight = weight;
    index->insert(entity);
    return entity;
  }

  SensorIndex add_sensor(EntityIndex owner, const SensorOptions& of = {}) {
    const SensorIndex sensor = SensorId{tables.sensor_ids.allocate()}.index();
    tables.fit_sensor(sensor);
    SensorRow& row = tables.sensors[sensor];
    row.live = true;
    row.limit = of.limit;
    row.period = of.period;
    row.priority = of.priority;
    row.sees_beacons = of.sees_beacons;
    row.indexed = of.indexed;
    if (of.indexed) numberings.begin(owner, tables.sensor_id(sensor));
    if (of.period != 1) ++tables.sensors_with_period;
    ++tables.geometric_sensors;
    Watch& watch = tables.scene.watches[sensor];
    watch.owner = owner;
    watch.radius = of.radius;
    watch.filter = tables.scene.filters.acquire(of.filter)->number;
    watch.tracked = row.limited();
    tables.link(sensor);
    index->attach(sensor);
    return sensor;
  }

  void move(EntityIndex entity, float x) {
    tables.scene.spots[entity].at.x = x;
    index->move(entity);
  }

  /// What an update does before it writes events.
  UpdateReport evaluate() {
    UpdateReport report;
    ++tables.update;
    deltas.start();
    flags.sort();
    schedule.evaluate(deltas.delta(), 0, report);
    interest.note_delta();
    deltas.map();
    interest.decide_pending();
    return report;
  }
  /// What an update does after it has written events.
  void rest() {
    interest.release_calm();
    flags.clear();
    pins.clear_released();
  }

  /// The extra events of this kind of one sensor, of which evaluate() has added some.
  std::vector<Event> extras(SensorIndex sensor, Kind kind) {
    extra.sort(kind, deltas.reporting(kind));
    const auto taken = extra.take(sensor);
    std::vector<Event> events(taken.begin(), taken.end());
    extra.clear(kind);
    return events;
  }

  Tables tables;
  std::unique_ptr<Index> index;
  SymmetricLists lists{tables.scene, tables.options.symmetric};
  Pins pins{tables};
  FlagChanges flags{tables};
  DeltaMap deltas{tables};
  ExtraEvents extra{tables};
  ViewLimits limits{tables, *index, pins};
  Numberings numberings;
  ViewChanges views{tables, *index, lists, pins, flags, numberings, extra};
  Interest interest{tables, *index, lists, pins, deltas, limits, views};
  Schedule schedule{tables, *index};
};

}  // namespace starbus::aoi::test
