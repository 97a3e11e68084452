/// The work of World::force, set_beacon and set_special: checks, then does it
/// now or, while handlers run, later. Belongs to the world's thread. Owns nothing. Errors are those
/// that world.hpp names.
#pragma once

#include "aoi/select/symmetric.hpp"
#include "aoi/world/deferred.hpp"
#include "aoi/world/interest.hpp"
#include "aoi/world/pins.hpp"

namespace starbus::aoi {

class PinOperations {
 public:
  PinOperations(Tables& tables, SymmetricLists& lists, Pins& pins, Interest& interest,
                Deferred& deferred)
      : tables_(tables), lists_(lists), pins_(pins), interest_(interest), deferred_(deferred) {}

  /// As in World.
  Result<> force(SensorId id, EntityId target, bool on);
  Result<> set_beacon(EntityId id, bool on);
  Result<> set_special(EntityId a, EntityId b, bool on);

 private:
  Result<> do_force(SensorId id, EntityId target, bool on);
  Result<> do_set_beacon(EntityId id, bool on);
  bool is_full_of_forced(SensorIndex sensor, EntityIndex target) const;
  bool is_full_of_specials(EntityId a, EntityId b) const;

  Tables& tables_;
  SymmetricLists& lists_;
  Pins& pins_;
  Interest& interest_;
  Deferred& deferred_;
};

}  // namespace starbus::aoi
