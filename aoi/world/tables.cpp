#include "aoi/world/tables.hpp"

#include <cassert>

namespace starbus::aoi {

Tables::Tables(const WorldOptions& chosen)
    : options(chosen),
      entity_ids(kMaxEntities, chosen.quarantine),
      sensor_ids(kMaxSensors, chosen.quarantine) {
  scene.metric = chosen.metric;
  scene.simd = chosen.simd;
}

void Tables::reserve(std::size_t entity_count, std::size_t sensor_count) {
  entity_ids.reserve(entity_count);
  sensor_ids.reserve(sensor_count);
  scene.spots.reserve(entity_count + 1);
  scene.flags.reserve(entity_count + 1);
  scene.observable.reserve(entity_count + 1);
  scene.first_sensor.reserve(entity_count + 1);
  entities.reserve(entity_count + 1);
  scene.watches.reserve(sensor_count + 1);
  sensors.reserve(sensor_count + 1);
}

void Tables::grow_entities(std::size_t count) {
  scene.spots.resize(count);
  scene.flags.resize(count);
  scene.observable.resize(count);
  scene.first_sensor.resize(count, kNone);
  // A handler that added this entity, and then a sensor to a later one, has made room already.
  entities.resize(std::max(entities.size(), count));
}

void Tables::grow_sensors(std::size_t count) {
  sensors.resize(count);
  scene.watches.resize(count);
  scene.always.resize(count);
}

void Tables::unlink(SensorIndex sensor) {
  SensorIndex* at = &scene.first_sensor[scene.watches[sensor].owner];
  while (*at != sensor) {
    assert(*at != kNone);
    at = &scene.watches[*at].next;
  }
  *at = scene.watches[sensor].next;
}

std::uint64_t Tables::memory() const {
  std::uint64_t bytes =
      entity_ids.memory() + sensor_ids.memory() + scene.spots.capacity() * sizeof(Spot) +
      scene.flags.capacity() * sizeof(std::uint64_t) + scene.observable.capacity() +
      scene.first_sensor.capacity() * sizeof(SensorIndex) +
      scene.watches.capacity() * sizeof(Watch) + entities.capacity() * sizeof(EntityRow) +
      sensors.capacity() * sizeof(SensorRow);
  for (const SensorRow& row : sensors) {
    if (!row.managed) continue;
    bytes += sizeof(Managed) + (row.managed->reported.capacity() + row.managed->forced.capacity()) *
                                   sizeof(EntityIndex);
  }
  return bytes;
}

}  // namespace starbus::aoi
