/// Epochs of wire numberings: each numbering of an observer's client has an epoch one higher than
/// the numbering before it (see wire.hpp). Belongs to the world's thread. Owns its maps: an entry
/// per entity that ever had an indexed sensor, and one per indexed sensor. Fails only by running
/// out of memory; callers check can_begin() first.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <vector>

#include "aoi/scene.hpp"

namespace starbus::aoi {

class Epochs {
 public:
  /// Another world has given epochs up to `last`.
  void raise(EntityIndex owner, std::uint32_t last);
  /// False: the owner has used kMaxEpoch.
  bool can_begin(EntityIndex owner) const;
  void begin(EntityIndex owner, SensorId sensor);
  /// The sensor was removed: of() answers until the update after the next one.
  void end(SensorId sensor) { ended_.push_back(sensor.value); }
  /// The entity was removed.
  void forget(EntityIndex owner) {
    if (!last_.empty()) last_.erase(owner);
  }
  /// A new update begins: drops numberings whose end the last update has reported.
  void advance();

  /// 0: the sensor is not indexed, or unknown.
  std::uint32_t of(SensorId sensor) const;
  std::uint64_t memory() const {
    return (last_.size() + numberings_.size()) * 2 * sizeof(std::uint32_t);
  }

 private:
  boost::unordered_flat_map<EntityIndex, std::uint32_t> last_;  ///< epoch given last, by owner
  boost::unordered_flat_map<std::uint32_t, std::uint32_t> numberings_;  ///< by SensorId
  std::vector<std::uint32_t> ended_;     ///< sensors removed since the last update
  std::vector<std::uint32_t> reported_;  ///< sensors whose end the last update has reported
};

}  // namespace starbus::aoi
