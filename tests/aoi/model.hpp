/// The promises of docs/guide/aoi.md and the public headers in the plainest form: every update
/// tests every sensor against every entity. It shares no code with the library below its public
/// types; if the two differ, one of them or the page is wrong.
///
/// Knows entities, sensors, filters, heights, margins, limits (nearest, priority), forced targets
/// and beacons; no symmetric lists, no wire indices, no budgets. Only for the metric `circle`.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "aoi/world.hpp"

namespace starbus::aoi::test {

class Model {
 public:
  void add(EntityId id, const EntityOptions& of);
  void remove(EntityId id);
  void move(EntityId id, const Position& to) { entities_.at(id).of.position = to; }
  void set_flags(EntityId id, std::uint64_t flags) { entities_.at(id).of.flags = flags; }
  void set_weight(EntityId id, float weight) { entities_.at(id).of.weight = weight; }
  void add_sensor(SensorId id, EntityId owner, const SensorOptions& of);
  void remove_sensor(SensorId id);
  void set_radius(SensorId id, float radius, float leave_margin);
  void set_options(SensorId id, const SensorOptions& of) { sensors_.at(id).of = of; }
  void force(SensorId id, EntityId target, bool on);
  void set_beacon(EntityId id, bool on) { entities_.at(id).beacon = on; }

  /// The events of this update, in order.
  std::vector<Event> update();

 private:
  struct Entity {
    EntityOptions of;
    std::uint64_t flags_before = 0;  ///< at the last update
    bool beacon = false;
  };
  /// By index: so is every order that the library promises.
  struct ByIndex {
    bool operator()(EntityId a, EntityId b) const { return a.index() < b.index(); }
    bool operator()(SensorId a, SensorId b) const { return a.index() < b.index(); }
  };
  using Set = std::set<EntityId, ByIndex>;
  struct Sensor {
    EntityId owner;
    SensorOptions of;
    Set in_range;  ///< at the last update
    Set shown;
    Set forced;
  };
  struct Ranked {
    float weight;
    float squared;
    EntityId entity;
    bool operator<(const Ranked& other) const;
  };

  bool in_range(const Sensor& sensor, EntityId target) const;
  bool pinned(const Sensor& sensor, EntityId target) const;
  Ranked rank(const Sensor& sensor, EntityId target) const;
  Set choose(const Sensor& sensor, const Set& candidates) const;
  void evaluate(SensorId id, Sensor& sensor);
  Reason why_left(const Sensor& sensor, const Set& before, EntityId target) const;
  Reason why_entered(const Sensor& sensor, const Set& before, EntityId target) const;
  void report(SensorId id, const Sensor& sensor, EntityId target, Kind kind, Reason reason);

  std::map<EntityId, Entity> entities_;
  std::map<SensorId, Sensor> sensors_;
  std::vector<Event> events_;
};

}  // namespace starbus::aoi::test
