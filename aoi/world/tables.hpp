/// The tables of a world: the Scene that backends read, a row for each entity and sensor, and their
/// ids. Plain data that all parts of a world share: each column has one writer, named beside it.
/// Belongs to the world's thread. The world owns it, and it stays where it is, because backends
/// keep a reference to `scene`. Fails only by running out of memory.
#pragma once

#include <algorithm>
#include <vector>

#include "aoi/options.hpp"
#include "aoi/scene.hpp"
#include "aoi/world/handles.hpp"
#include "aoi/world/rows.hpp"

namespace starbus::aoi {

/// Whether the sorted values contain it.
inline bool contains_value(const std::vector<EntityIndex>& sorted, EntityIndex value) {
  return std::binary_search(sorted.begin(), sorted.end(), value);
}

struct Tables {
  explicit Tables(const WorldOptions& chosen);
  Tables(const Tables&) = delete;
  Tables& operator=(const Tables&) = delete;

  void reserve(std::size_t entity_count, std::size_t sensor_count);
  /// Makes sure that rows for this index exist.
  void fit_entity(EntityIndex entity) {
    if (scene.spots.size() <= entity) grow_entities(entity + 1u);
  }
  void fit_sensor(SensorIndex sensor) {
    if (sensors.size() <= sensor) grow_sensors(sensor + 1u);
  }
  void grow_entities(std::size_t count);
  void grow_sensors(std::size_t count);

  /// Whether the id is in use.
  bool lives(EntityId id) const {
    return id && id.index() < scene.spots.size() && scene.spots[id.index()].id == id.value;
  }
  bool lives(SensorId id) const {
    return id && id.index() < sensors.size() && sensors[id.index()].live &&
           sensor_ids.value(id.index()) == id.value;
  }
  EntityId id_of(EntityIndex entity) const { return EntityId{scene.spots[entity].id}; }
  SensorId sensor_id(SensorIndex sensor) const { return SensorId{sensor_ids.value(sensor)}; }
  EntityIndex owner_of(SensorIndex sensor) const { return scene.watches[sensor].owner; }

  /// visitor(sensor) for each sensor of an entity that has a row.
  template <class Visitor>
  void each_sensor_of(EntityIndex entity, const Visitor& visitor) const {
    for (SensorIndex s = scene.first_sensor[entity]; s != kNone; s = scene.watches[s].next) {
      visitor(s);
    }
  }
  /// Adds a sensor to the list of its owner's sensors, or takes it out.
  void link(SensorIndex sensor) {
    Watch& watch = scene.watches[sensor];
    watch.next = scene.first_sensor[watch.owner];
    scene.first_sensor[watch.owner] = sensor;
  }
  void unlink(SensorIndex sensor);

  /// Bytes that they occupy.
  std::uint64_t memory() const;

  const WorldOptions options;
  std::uint64_t update = 0;  ///< number of the current update, from 1; written by World::Impl
  Scene scene;               ///< EntityOperations, SensorOperations, Removals
  std::vector<EntityRow> entities;
  std::vector<SensorRow> sensors;
  Handles entity_ids;
  Handles sensor_ids;
  std::uint32_t sensors_with_period = 0;  ///< whose period is not 1
  std::uint32_t geometric_sensors = 0;    ///< whose policy is not symmetric
};

}  // namespace starbus::aoi
