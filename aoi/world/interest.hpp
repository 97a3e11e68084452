/// Decides what managed sensors show, and which sensors are managed. A sensor is *plain* if it
/// shows exactly what is in range, and beacons: then its set lives in the backend alone and costs
/// the world nothing. A plain sensor has reported all beacons that it may see, so it is made
/// managed before anything changes in that, and plain again after the update that reports it. It is
/// *managed* if anything else decides as well (more in range than its limit, forced targets,
/// beacons that come or go, a symmetric list): then the world keeps what it has reported. A sensor
/// with a limit is plain until it is crowded; the world counts what is in range. Belongs to the
/// world's thread. Owns the list of sensors to decide, and scratch memory; fails only by running
/// out of memory.
#pragma once

#include <vector>

#include "aoi/index/index.hpp"
#include "aoi/select/symmetric.hpp"
#include "aoi/world/delta_map.hpp"
#include "aoi/world/pins.hpp"
#include "aoi/world/view_changes.hpp"
#include "aoi/world/view_limits.hpp"

namespace starbus::aoi {

class Interest {
 public:
  Interest(Tables& tables, Index& index, SymmetricLists& lists, const Pins& pins, DeltaMap& deltas,
           ViewLimits& limits, ViewChanges& changes)
      : tables_(tables),
        index_(index),
        lists_(lists),
        pins_(pins),
        deltas_(deltas),
        limits_(limits),
        changes_(changes) {}

  /// Makes a sensor managed; it has reported what is in range now.
  void manage(SensorIndex sensor);
  /// Whether there are beacons, of which this sensor shows those that pass its filter.
  bool shows_beacons(SensorIndex sensor) const;
  /// Beacons are about to change: makes all sensors managed that want them, and schedules these.
  void manage_for_beacons();
  /// Makes a sensor managed that is new and has reported nothing, and schedules it.
  void manage_new(SensorIndex sensor);
  /// The events of an update are written: makes sensors plain that need not be managed any more.
  void release_calm();
  /// Makes a sensor managed if its options demand it.
  void manage_if_needed(SensorIndex sensor);
  /// Schedules a sensor for this update's decide(); does nothing if it is plain.
  void decide_later(SensorIndex sensor);
  /// The tracked sensor's options have changed: counts its targets in range again.
  void count_in_range(SensorIndex sensor);

  /// Takes over what the backend and the symmetric lists have found for tracked sensors.
  void note_delta();
  /// Decides all scheduled sensors, in order. Comes after DeltaMap::map().
  void decide_pending();

 private:
  void note(std::size_t entry);
  bool is_calm(const SensorRow& row) const;
  void recall(SensorIndex sensor, Managed& managed);
  void decide(SensorIndex sensor);
  void show(SensorIndex sensor, Managed& managed, bool crowded);
  void show_by_delta(const Managed& managed);

  Tables& tables_;
  Index& index_;
  SymmetricLists& lists_;
  const Pins& pins_;
  DeltaMap& deltas_;
  ViewLimits& limits_;
  ViewChanges& changes_;
  std::vector<SensorIndex> pending_;
  std::vector<SensorIndex> calm_;  ///< managed without need since this update
  std::vector<EntityIndex> left_;  ///< scratch of decide_pending(), as are those that follow
  std::vector<EntityIndex> entered_;
  std::vector<EntityIndex> shown_;
  std::vector<EntityIndex> in_range_;
  std::vector<std::uint64_t> marks_;
};

}  // namespace starbus::aoi
