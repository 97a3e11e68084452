/// The tables that the world owns and writes and that backends read: where entities are, and what
/// sensors watch. A row is found by the index of an id; a row that is not live is not read. One
/// thread.
#pragma once

#include <vector>

#include "aoi/filter_table.hpp"
#include "aoi/measure.hpp"
#include "aoi/options.hpp"

namespace starbus::aoi {

using EntityIndex = std::uint32_t;
using SensorIndex = std::uint32_t;
/// An index that no row has.
inline constexpr std::uint32_t kNone = 0xffff'ffff;

/// Where an entity is, and which one.
struct Spot {
  Position at;
  std::uint32_t id = 0;  ///< the whole EntityId; 0: not live
};

/// The part of a sensor that a scan needs.
struct Watch {
  EntityIndex owner = kNone;
  SensorIndex next = kNone;  ///< of the same owner
  float radius = 0;
  float leave_margin = 0;
  float min_height = 0;
  float max_height = 0;
  FilterNumber filter = 0;
  bool has_height = false;
  bool has_margin = false;
  bool tracked = false;   ///< the world notes its changes before they become events
  bool geometric = true;  ///< false: a symmetric list, in which backends have no part

  float reach() const { return radius + leave_margin; }
};

struct Scene {
  Metric metric = Metric::circle;
  Simd simd = Simd::best;
  FilterTable filters;
  std::vector<Spot> spots;
  std::vector<std::uint64_t> flags;
  std::vector<std::uint8_t> observable;
  std::vector<SensorIndex> first_sensor;
  std::vector<Watch> watches;
  /// By sensor: an evaluation gives an entry in the delta even without changes.
  std::vector<bool> always;

  /// True if a live, observable target is in range of the sensor. `was`: it was in range before.
  bool in_range(const Watch& watch, EntityIndex target, bool was) const {
    const Position& from = spots[watch.owner].at;
    const Position& at = spots[target].at;
    const float limit = limit_of(metric, was ? watch.reach() : watch.radius);
    if (!(measure(metric, at.x - from.x, at.y - from.y) <= limit)) return false;
    const float dz = at.z - from.z;
    if (watch.has_height && !(dz >= watch.min_height && dz <= watch.max_height)) return false;
    return filters.passes(watch.filter, flags[target]);
  }
};

}  // namespace starbus::aoi
