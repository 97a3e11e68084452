/// What a world keeps of each entity and of each sensor beside the Scene that backends read. Found
/// by the index of an id; a row that is not live is not read. Plain values; the world owns them.
#pragma once

#include <limits>
#include <memory>
#include <vector>

#include "aoi/options.hpp"
#include "aoi/scene.hpp"
#include "aoi/wire/wire_indices.hpp"

namespace starbus::aoi {

struct EntityRow {
  std::uint64_t key = 0;
  float weight = 0;
  std::uint16_t sensors = 0;  ///< of those added and not removed, also not yet done
  bool beacon = false;
  bool reflagged = false;  ///< since the last update
};

/// What a managed sensor keeps.
struct Managed {
  std::vector<EntityIndex> told;       ///< what the events have told; sorted
  std::vector<std::uint16_t> indices;  ///< beside told, if the sensor is indexed
  std::vector<EntityIndex> forced;     ///< sorted
  WireIndices wire;
  /// Of the nearest that it showed last, squared.
  float farthest = std::numeric_limits<float>::infinity();
  bool crowded = false;  ///< shows less than what is in range
  bool held = false;     ///< told holds, or shall hold, what is forced or a beacon
  bool pending = false;  ///< has to be decided in this update
  bool fresh = false;    ///< was plain before this update: told is not known yet
};

struct SensorRow {
  std::unique_ptr<Managed> managed;
  std::uint32_t in_range = 0;  ///< how many the backend has, if its changes are noted
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
