/// The rows that a world keeps of each entity and each sensor beside the Scene that backends read.
/// A row is found by the index of an id; a row that is not live is not read. Plain values, owned by
/// Tables.
#pragma once

#include <limits>
#include <memory>
#include <vector>

#include "aoi/options.hpp"
#include "aoi/scene.hpp"

namespace starbus::aoi {

/// The world's data about an entity.
struct EntityRow {
  std::uint64_t key = 0;
  float weight = 0;
  std::uint16_t sensors = 0;  ///< added and not removed, including those still deferred
  bool beacon = false;
  bool flags_changed = false;  ///< since the last update
};

/// State of a managed sensor.
struct Managed {
  std::vector<EntityIndex> reported;  ///< the targets that events have reported; sorted
  std::vector<EntityIndex> forced;    ///< sorted
  /// Squared distance of the farthest target that the policy `nearest` showed last.
  float farthest = std::numeric_limits<float>::infinity();
  bool crowded = false;  ///< shows fewer targets than are in range
  bool pinned = false;   ///< `reported` contains, or will contain, forced targets or beacons
  bool pending = false;  ///< must be decided in this update
  bool fresh = false;    ///< was plain before this update, so `reported` is still empty
};

/// The world's data about a sensor.
struct SensorRow {
  std::unique_ptr<Managed> managed;
  std::uint32_t in_range = 0;  ///< targets that the backend has in range, if Watch::tracked
  Limit limit;
  std::uint16_t period = 1;
  std::uint16_t put_off = 0;  ///< updates in a row
  std::uint8_t priority = 1;
  bool live = false;
  bool sees_beacons = true;
  bool indexed = false;

  bool limited() const {
    return limit.policy == LimitPolicy::nearest || limit.policy == LimitPolicy::priority;
  }
  bool crowded() const { return limited() && in_range > limit.count; }
};

}  // namespace starbus::aoi
