/// The delta of one update, found by sensor: which entries of the backend's Delta belong to a
/// sensor, and which plain sensors have leaves or enters to report. Belongs to the world's thread.
/// Owns the delta and the map. Fails only by running out of memory.
#pragma once

#include <span>
#include <vector>

#include "aoi/index/delta.hpp"
#include "aoi/world/tables.hpp"

namespace starbus::aoi {

class DeltaMap {
 public:
  explicit DeltaMap(const Tables& tables) : tables_(tables) {}

  /// The backend writes it between start() and map().
  Delta& delta() { return delta_; }
  const Delta& delta() const { return delta_; }

  void start() { delta_.start(); }
  /// Maps all entries, after the backend has written them and it is known which sensors are
  /// managed.
  void map();
  /// The events are written.
  void rest() { delta_.rest(); }

  /// One bit per sensor: plain sensors with such changes. The writer of events adds other sensors.
  std::vector<std::uint64_t>& reporting(Kind kind) {
    return kind == Kind::leave ? leaving_ : entering_;
  }
  std::size_t size(Kind kind) const {
    return kind == Kind::leave ? delta_.left.size() : delta_.entered.size();
  }
  /// All changes of a sensor, each list in order; empty lists if it has no entry. `marks` is
  /// scratch of sort_indices().
  void collect(SensorIndex sensor, std::vector<EntityIndex>& left,
               std::vector<EntityIndex>& entered, std::vector<std::uint64_t>& marks);
  /// The changes of a plain sensor, in no order; empty if the sensor is managed. They are in the
  /// delta, or in `scratch` if the sensor has two entries.
  std::span<EntityIndex> of_plain(SensorIndex sensor, Kind kind,
                                  std::vector<EntityIndex>& scratch) {
    const std::uint32_t last = last_entry(sensor);
    if (last == kNone || (delta_.entries[last].tracked() && tables_.sensors[sensor].managed)) {
      return {};
    }
    if (older_entry(last) == kNone) [[likely]]
      return of(last, kind);
    return join_entries(last, kind, scratch);
  }

  /// Prefetches the entries of 64 sensors, and then, once these have arrived, their targets.
  void fetch_entries(std::size_t word) const;
  void fetch_targets(std::size_t word, Kind kind) const;

  std::uint64_t memory() const {
    return delta_.memory() + last_entry_.capacity() * sizeof(std::uint32_t) +
           (has_entry_.capacity() + leaving_.capacity() + entering_.capacity()) *
               sizeof(std::uint64_t);
  }

 private:
  /// kNone: the sensor has none.
  std::uint32_t last_entry(SensorIndex sensor) const {
    return (has_entry_[sensor / 64] >> sensor % 64 & 1) != 0 ? last_entry_[sensor] : kNone;
  }
  /// kNone: the entry is the only one of its sensor.
  std::uint32_t older_entry(std::uint32_t entry) const {
    return older_entry_.empty() ? kNone : older_entry_[entry];
  }

  std::span<EntityIndex> of(std::uint32_t entry, Kind kind) {
    return kind == Kind::leave ? delta_.left_of(entry) : delta_.entered_of(entry);
  }
  std::span<EntityIndex> join_entries(std::uint32_t last, Kind kind,
                                      std::vector<EntityIndex>& scratch);

  const Tables& tables_;
  Delta delta_;
  std::vector<std::uint64_t> has_entry_;    ///< a bit by sensor
  std::vector<std::uint32_t> last_entry_;   ///< by sensor, if its bit is set
  std::vector<std::uint32_t> older_entry_;  ///< by entry; empty if no sensor has two
  std::vector<std::uint64_t> leaving_;
  std::vector<std::uint64_t> entering_;
};

}  // namespace starbus::aoi
