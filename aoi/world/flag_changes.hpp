/// The flags that entities had at the last update, of those whose flags have changed since: what
/// decides whether a target entered or left because of a filter. Belongs to the world's thread.
/// Owns its list; writes EntityRow::flags_changed. Fails only by running out of memory.
#pragma once

#include <vector>

#include "aoi/world/tables.hpp"

namespace starbus::aoi {

class FlagChanges {
 public:
  explicit FlagChanges(Tables& tables) : tables_(tables) {}

  /// Called before the entity's flags change.
  void note(EntityIndex entity);
  /// Comes before reason_of(), after the last note().
  void sort();
  /// The events of an update are written.
  void clear();

  /// `filter` or `geometry`, for a target that has entered or left the range of a sensor.
  Reason reason_of(SensorIndex sensor, EntityIndex target, Kind kind) const {
    const FilterNumber filter = tables_.scene.watches[sensor].filter;
    if (filter == 0) return Reason::geometry;
    const Scene& scene = tables_.scene;
    const bool failed = kind == Kind::leave
                            ? !scene.filters.passes(filter, scene.flags[target])
                            : !changes_.empty() && tables_.entities[target].flags_changed &&
                                  failed_before(filter, target);
    return failed ? Reason::filter : Reason::geometry;
  }

 private:
  struct Change {
    EntityIndex entity;
    std::uint64_t before;
  };
  bool failed_before(FilterNumber filter, EntityIndex target) const;

  Tables& tables_;
  std::vector<Change> changes_;  ///< one per entity, also if that has been removed since
};

}  // namespace starbus::aoi
