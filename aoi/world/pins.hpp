/// Pinned targets: those that sensors see wherever they are, because they are forced for one sensor
/// or are beacons for all. Belongs to the world's thread. Owns its lists; writes Managed::forced
/// and EntityRow::beacon. Limits are the caller's to check (kMaxForced, kMaxBeacons).
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <span>
#include <vector>

#include "aoi/world/tables.hpp"

namespace starbus::aoi {

class Pins {
 public:
  explicit Pins(Tables& tables) : tables_(tables) {}

  /// The sensor is managed.
  void force(SensorIndex sensor, EntityIndex target);
  void unforce(SensorIndex sensor, EntityIndex target);
  bool is_forced(SensorIndex sensor, EntityIndex target) const;
  /// Sensors for which the target is forced; in no order, valid until the next change.
  std::span<const SensorIndex> forced_for(EntityIndex target) const;
  /// The managed sensor is removed.
  void drop_sensor(SensorIndex sensor);

  /// The entity is a beacon from now on, or no more.
  void set_beacon(EntityIndex entity, bool on);
  std::span<const EntityIndex> beacons() const { return beacons_; }  ///< sorted

  /// True if the sensor shows the target wherever that is.
  bool pins(SensorIndex sensor, EntityIndex target) const;
  /// Adds all pinned targets of a sensor to the sorted list `shown`.
  void add_to(SensorIndex sensor, std::vector<EntityIndex>& shown) const;

  /// True if the entity is a beacon, or was released since the last update: then any managed sensor
  /// may have it reported.
  bool is_or_was_pinned(EntityIndex entity) const;
  /// The entity is removed: no sensor sees it any more.
  void forget(EntityIndex entity);
  /// The events of an update are written.
  void clear_released() { released_.clear(); }

 private:
  Tables& tables_;
  std::vector<EntityIndex> beacons_;  ///< sorted
  boost::unordered_flat_map<EntityIndex, std::vector<SensorIndex>> forced_for_;
  std::vector<EntityIndex> released_;  ///< no longer forced or a beacon since the last update
};

}  // namespace starbus::aoi
