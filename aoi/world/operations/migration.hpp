/// Observers that migrate from or to another process: exports what a sensor's client knows, and
/// makes a fresh sensor see the same targets. Belongs to the world's thread. Owns nothing. Errors
/// are those that world.hpp names; a call that fails changes nothing.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "aoi/observer_state.hpp"
#include "aoi/world.hpp"
#include "aoi/world/deferred.hpp"
#include "aoi/world/removals.hpp"

namespace starbus::aoi {

class Migration {
 public:
  /// All outlive it.
  struct Parts {
    Tables& tables;
    Index& index;
    SymmetricLists& lists;
    Pins& pins;
    Interest& interest;
    Numberings& numberings;
    Removals& removals;
    Deferred& deferred;
  };
  explicit Migration(const Parts& parts) : parts_(parts) {}

  /// As in World.
  Result<ObserverState> export_state(SensorId id) const;

  /// The part of a state that can be adopted here, and the batch for the client.
  struct Match {
    std::vector<Adopted> targets;
    std::vector<EntityId> forced;  ///< of which the client knows nothing
    ReindexBatch batch;
  };
  Result<Match> match(SensorId id, const ObserverState& state,
                      const std::function<EntityId(std::uint64_t)>& resolve) const;
  /// `last_epoch`: of the numbering in which the client knows the targets; 0: none.
  Result<> adopt(SensorId id, std::span<const Adopted> targets, std::uint32_t last_epoch);
  /// The owner of a sensor that lives or is deferred.
  std::optional<EntityIndex> owner_of(SensorId id) const;

 private:
  void add_untold_forces(SensorIndex sensor, const Numbering& numbers, ObserverState& state) const;
  bool may_be_adopted(EntityId target, bool forced, EntityIndex owner) const;
  Result<> check_targets(std::span<const Adopted> targets, EntityIndex owner) const;
  Result<> check_sees_nothing(SensorId id) const;
  Result<> do_adopt(SensorId id, std::span<const Adopted> targets);
  void adopt_list(EntityIndex owner, std::span<const Adopted> targets);

  const Parts parts_;
};

}  // namespace starbus::aoi
