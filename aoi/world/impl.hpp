/// The inside of a World: its parts, and the order in which an update uses them. Each part is a
/// class with one task; parts name in their constructors which others they use. A World forwards
/// its calls to the parts and records them. Belongs to the world's thread. Owns all parts; fails
/// only by running out of memory.
#pragma once

#include <memory>

#include "aoi/replay/recording.hpp"
#include "aoi/world.hpp"
#include "aoi/world/event_writer.hpp"
#include "aoi/world/operations/entity_operations.hpp"
#include "aoi/world/operations/migration.hpp"
#include "aoi/world/operations/pin_operations.hpp"
#include "aoi/world/operations/sensor_operations.hpp"
#include "aoi/world/queries.hpp"
#include "aoi/world/schedule.hpp"

namespace starbus::aoi {

class World::Impl {
 public:
  explicit Impl(const WorldOptions& options);

  const Tables& tables() const { return tables_; }
  EntityOperations& entities() { return entities_; }
  SensorOperations& sensors() { return sensors_; }
  PinOperations& pinning() { return pinning_; }
  Migration& migration() { return migration_; }
  Queries& queries() { return queries_; }
  SensorHandlers& handlers() { return handlers_; }
  Numberings& numberings() { return numberings_; }
  EventLog& log() { return writer_.log(); }

  /// So many more of both are about to be added.
  void expect(std::size_t entities, std::size_t sensors);
  /// Erases removed entities. Comes before all operations but add, remove, move and add_sensor.
  void settle() { removals_.settle(); }
  /// busy: handlers run.
  Result<UpdateReport> begin_update();
  void end_update() noexcept;
  Result<> set_epoch(EntityId entity, std::uint32_t last);
  Result<> adopt(SensorId sensor, std::span<const Adopted> targets, std::uint32_t last_epoch);

  Statistics statistics() const;
  std::uint64_t memory() const;

  void record_to(Recorder* recorder) { recorder_ = recorder; }
  Recorder* recorder() const { return recorder_; }  ///< null: nothing is recorded
  /// write(recorder) if there is a recorder and the operation has succeeded; returns the result.
  template <class T, class Write>
  Result<T> record(Result<T> done, const Write& write) {
    if (recorder_ != nullptr && done) [[unlikely]]
      write(*recorder_);
    return done;
  }

 private:
  UpdateReport update_sets();
  void add_to_statistics(const UpdateReport& report);

  // In the order of use: each may refer to those above.
  Tables tables_;
  std::unique_ptr<Index> index_;
  SymmetricLists lists_;
  Deferred deferred_;
  SensorHandlers handlers_;
  Numberings numberings_;
  Pins pins_;
  FlagChanges flags_;
  DeltaMap deltas_;
  ExtraEvents extra_;
  Endings endings_;
  ViewLimits limits_;
  ViewChanges views_;
  Interest interest_;
  Schedule schedule_;
  EventWriter writer_;
  Removals removals_;
  EntityOperations entities_;
  SensorOperations sensors_;
  PinOperations pinning_;
  Migration migration_;
  Queries queries_;
  Statistics statistics_;
  Recorder* recorder_ = nullptr;
};

}  // namespace starbus::aoi
