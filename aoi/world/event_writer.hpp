/// Writes the events of an update into the event log: the changes of plain sensors, the extra
/// events of managed ones, and the leaves of what was removed, sorted by (sensor, target). Numbers
/// the targets of plain sensors that are indexed; events of managed ones have their numbers
/// already. Belongs to the world's thread. Owns the log; fails only by running out of memory.
#pragma once

#include <span>
#include <vector>

#include "aoi/event_log.hpp"
#include "aoi/world/delta_map.hpp"
#include "aoi/world/endings.hpp"
#include "aoi/world/extra_events.hpp"
#include "aoi/world/flag_changes.hpp"
#include "aoi/world/numberings.hpp"
#include "aoi/world/pins.hpp"

namespace starbus::aoi {

class EventWriter {
 public:
  EventWriter(const Tables& tables, const FlagChanges& changes, const Pins& pins,
              Numberings& numberings, DeltaMap& deltas, ExtraEvents& extra, Endings& endings)
      : tables_(tables),
        changes_(changes),
        pins_(pins),
        numberings_(numberings),
        deltas_(deltas),
        extra_(extra),
        endings_(endings) {}

  /// Writes all leaves, then all enters, and empties what it reads.
  void write();

  EventLog& log() { return log_; }
  const EventLog& log() const { return log_; }
  std::uint64_t memory() const {
    return log_.memory() + targets_.capacity() * sizeof(EntityIndex) +
           marks_.capacity() * sizeof(std::uint64_t);
  }

 private:
  void write(Kind kind);
  void fetch_numberings(const std::vector<std::uint64_t>& reporting, std::size_t word) const;
  void write_sensor(SensorIndex sensor, Kind kind, std::span<const Event> extras);
  void write_extras(std::span<const Event> extras);
  void write_mixed(SensorIndex sensor, Kind kind, EntityId observer, const Endings::Row& ended,
                   std::span<const EntityIndex> targets, std::span<const Event> extras);
  std::span<EntityIndex> join(std::span<const EntityIndex> left, const Endings::Row& ended);
  Reason reason_of(SensorIndex sensor, EntityIndex target, Kind kind,
                   const Endings::Row& ended) const;
  std::uint16_t number(Numbering* numbers, EntityIndex target, Kind kind);

  const Tables& tables_;
  const FlagChanges& changes_;
  const Pins& pins_;
  Numberings& numberings_;
  DeltaMap& deltas_;
  ExtraEvents& extra_;
  Endings& endings_;
  EventLog log_;
  std::vector<EntityIndex> targets_;  ///< scratch, as is marks_
  std::vector<std::uint64_t> marks_;
};

}  // namespace starbus::aoi
