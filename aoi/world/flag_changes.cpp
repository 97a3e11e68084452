#include "aoi/world/flag_changes.hpp"

#include <algorithm>
#include <cassert>

namespace starbus::aoi {

void FlagChanges::note(EntityIndex entity) {
  EntityRow& row = tables_.entities[entity];
  if (row.flags_changed) return;
  row.flags_changed = true;
  changes_.push_back({entity, tables_.scene.flags[entity]});
}

void FlagChanges::sort() {
  std::sort(changes_.begin(), changes_.end(),
            [](const Change& a, const Change& b) { return a.entity < b.entity; });
}

void FlagChanges::clear() {
  for (const Change& change : changes_) tables_.entities[change.entity].flags_changed = false;
  changes_.clear();
}

bool FlagChanges::failed_before(FilterNumber filter, EntityIndex target) const {
  const auto change =
      std::lower_bound(changes_.begin(), changes_.end(), target,
                       [](const Change& one, EntityIndex entity) { return one.entity < entity; });
  assert(change != changes_.end() && change->entity == target);
  return !tables_.scene.filters.passes(filter, change->before);
}

}  // namespace starbus::aoi
