/// The work of World::add_sensor, remove_sensor, set_radius and set_options: checks,
/// then does it now or, while handlers run, later. Belongs to the world's thread. Owns nothing.
/// Errors are those that world.hpp names; a call that fails keeps no filter number and no id.
#pragma once

#include <optional>

#include "aoi/index/index.hpp"
#include "aoi/select/symmetric.hpp"
#include "aoi/world/deferred.hpp"
#include "aoi/world/removals.hpp"
#include "aoi/world/schedule.hpp"

namespace starbus::aoi {

class SensorOperations {
 public:
  /// All outlive it.
  struct Parts {
    Tables& tables;
    Index& index;
    SymmetricLists& lists;
    const Pins& pins;
    Interest& interest;
    Schedule& schedule;
    Numberings& numberings;
    SensorHandlers& handlers;
    Removals& removals;
    Deferred& deferred;
  };
  explicit SensorOperations(const Parts& parts) : parts_(parts) {}

  /// As in World.
  Result<SensorId> add(EntityId owner, const SensorOptions& of, SensorHandlers::Handler own);
  Result<> remove(SensorId id);
  Result<> set_radius(SensorId id, float radius, float leave_margin);
  Result<> set_options(SensorId id, const SensorOptions& of);

 private:
  Result<> check_owner(EntityId owner, const SensorOptions& of) const;
  bool has_symmetric(EntityIndex owner) const;
  bool has_indexed(EntityIndex owner) const;
  bool is_hidden(EntityId entity) const;
  bool changes_symmetry(SensorId id, const SensorOptions& of) const;
  std::optional<FilterNumber> acquire(const Filter& filter);
  void do_add(SensorId id, EntityIndex owner, const SensorOptions& of, FilterNumber filter);
  void do_set_options(SensorId id, const SensorOptions& of, FilterNumber filter);
  void do_set_radius(SensorIndex sensor, float radius, float leave_margin);
  void set_watch(SensorIndex sensor, const SensorOptions& of, FilterNumber filter);
  void evaluate_again(SensorIndex sensor);

  const Parts parts_;
};

}  // namespace starbus::aoi
