/// The wire numberings of a world, one for each indexed sensor, and their epochs: each numbering of
/// an observer's client has an epoch one higher than the numbering before it (see wire.hpp).
/// Belongs to the world's thread. Owns the numberings, by sensor, and the epoch given last, by
/// entity; both tables are empty in a world without indexed sensors. Fails only by running out of
/// memory; callers check can_begin() first.
#pragma once

#include <cstdint>
#include <vector>

#include "aoi/arrays/prefetch.hpp"
#include "aoi/limits.hpp"
#include "aoi/wire/numbering.hpp"

namespace starbus::aoi {

class Numberings {
 public:
  /// Room for so many sensors, which is taken when the first of them is indexed.
  void expect(std::size_t entities, std::size_t sensors);
  /// Another world has given epochs up to `last`.
  void raise(EntityIndex owner, std::uint32_t last);
  /// False: the owner has used kMaxEpoch.
  bool can_begin(EntityIndex owner) const {
    return owner >= last_.size() || last_[owner] < kMaxEpoch;
  }
  /// The sensor, which may have a numbering already, begins one without targets. Keeps its group.
  void begin(EntityIndex owner, SensorId sensor);
  /// The sensor was removed: epoch() answers until the update after the next one, which also needs
  /// the numbers.
  void end(SensorId sensor) { ended_.push_back(sensor); }
  /// The entity was removed.
  void forget(EntityIndex owner) {
    if (owner < last_.size()) last_[owner] = 0;
  }
  /// A new update begins: drops numberings whose end the last update has reported.
  void advance();

  /// Null: the sensor with this index is not indexed.
  Numbering* find(SensorIndex sensor) {
    return sensor < all_.size() && all_[sensor].epoch != 0 ? &all_[sensor] : nullptr;
  }
  const Numbering* find(SensorIndex sensor) const {
    return sensor < all_.size() && all_[sensor].epoch != 0 ? &all_[sensor] : nullptr;
  }
  /// Prefetches a numbering, and once it has arrived, its numbers.
  void fetch(SensorIndex sensor, int step) const {
    if (sensor >= all_.size()) return;
    if (step == 0) prefetch_line_to_write(&all_[sensor]);
    if (step == 1) prefetch_line_to_write(all_[sensor].memory_to_fetch());
  }
  bool empty() const { return all_.empty(); }

  /// 0: the sensor is not indexed, or unknown. These also answer for an ended sensor as long as it
  /// has its numbering.
  std::uint32_t epoch(SensorId sensor) const;
  std::uint32_t group(SensorId sensor) const;
  void set_group(SensorId sensor, std::uint32_t group);
  std::uint64_t memory() const;

 private:
  std::size_t entities_ = 0;  ///< expected, as are sensors_
  std::size_t sensors_ = 0;
  std::vector<Numbering> all_;       ///< by sensor
  std::vector<std::uint32_t> last_;  ///< epoch given last, by owner
  std::vector<SensorId> ended_;      ///< sensors removed since the last update
  std::vector<SensorId> reported_;   ///< sensors whose end the last update has reported
};

}  // namespace starbus::aoi
