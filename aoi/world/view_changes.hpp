/// Turns a change of what a managed sensor shows into events with reasons and wire indices, and
/// keeps Managed::reported and the sensor's numbering in step with these events. Belongs to the
/// world's thread. Owns scratch memory only; fails only by running out of memory.
#pragma once

#include <vector>

#include "aoi/index/index.hpp"
#include "aoi/select/symmetric.hpp"
#include "aoi/world/extra_events.hpp"
#include "aoi/world/flag_changes.hpp"
#include "aoi/world/numberings.hpp"
#include "aoi/world/pins.hpp"

namespace starbus::aoi {

class ViewChanges {
 public:
  ViewChanges(Tables& tables, const Index& index, const SymmetricLists& lists, const Pins& pins,
              const FlagChanges& changes, Numberings& numberings, ExtraEvents& extra)
      : tables_(tables),
        index_(index),
        lists_(lists),
        pins_(pins),
        changes_(changes),
        numberings_(numberings),
        extra_(extra) {}

  /// The changes of a sensor that the backend has found in this update; both sorted.
  struct Found {
    const std::vector<EntityIndex>& left;
    const std::vector<EntityIndex>& entered;
  };
  /// Adds events for the difference between the sorted list `shown` and what is reported, and makes
  /// `shown` the reported list. `shown` is then scratch.
  void report(SensorIndex sensor, const Found& found, std::vector<EntityIndex>& shown);
  /// One of the pair is being removed: adds a leave if the managed sensor has the target reported.
  void end_pair(SensorIndex sensor, EntityIndex target);

  /// Leaves for the reason `limit` since start().
  std::uint64_t evictions() const { return evictions_; }
  void start() { evictions_ = 0; }

 private:
  void number(Numbering& numbers);
  Reason reason_of_leave(SensorIndex sensor, EntityIndex target, const Found& found) const;
  Reason reason_of_enter(SensorIndex sensor, EntityIndex target, const Found& found) const;

  Tables& tables_;
  const Index& index_;
  const SymmetricLists& lists_;
  const Pins& pins_;
  const FlagChanges& changes_;
  Numberings& numberings_;
  ExtraEvents& extra_;
  std::uint64_t evictions_ = 0;
  std::vector<EntityIndex> gone_;  ///< targets of report(), as are new_
  std::vector<EntityIndex> new_;
  std::vector<std::uint64_t> marks_;  ///< a bit by entity; zeros at rest
};

}  // namespace starbus::aoi
