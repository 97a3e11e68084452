#include "aoi/world/view_changes.hpp"

#include <algorithm>
#include <cassert>

#include "aoi/arrays/sort_indices.hpp"

namespace starbus::aoi {

void ViewChanges::report(SensorIndex sensor, const Found& found, std::vector<EntityIndex>& shown) {
  Managed& managed = *tables_.sensors[sensor].managed;
  if (shown == managed.reported) return;
  const std::size_t words = tables_.scene.spots.size() / 64 + 1;
  if (marks_.size() < words) marks_.resize(words);
  compare(managed.reported, shown, marks_, gone_, new_);
  // No target has entered or left the range and none is pinned: so the limit is the reason for all.
  const bool by_limit = tables_.scene.watches[sensor].geometric && !managed.pinned &&
                        found.left.empty() && found.entered.empty();
  Event event;
  event.sensor = tables_.sensor_id(sensor);
  event.observer = tables_.id_of(tables_.owner_of(sensor));
  event.kind = Kind::leave;
  event.reason = Reason::limit;
  for (const EntityIndex target : gone_) {
    if (!by_limit) event.reason = reason_of_leave(sensor, target, found);
    evictions_ += event.reason == Reason::limit ? 1 : 0;
    event.target = EntityId{tables_.entity_ids.value(target)};
    extra_.add(event);
  }
  event.kind = Kind::enter;
  for (const EntityIndex target : new_) {
    if (!by_limit) event.reason = reason_of_enter(sensor, target, found);
    event.target = EntityId{tables_.entity_ids.value(target)};
    extra_.add(event);
  }
  if (Numbering* const numbers = numberings_.find(sensor)) number(*numbers);
  managed.reported.swap(shown);
}

// Gives the events just added, which are in the order of targets, their wire indices.
void ViewChanges::number(Numbering& numbers) {
  const std::uint64_t now = tables_.update;
  for (Event& leave : extra_.last(Kind::leave, gone_.size())) {
    leave.index = numbers.give_back(leave.target.index(), now, tables_.options.quarantine);
  }
  for (Event& enter : extra_.last(Kind::enter, new_.size())) {
    enter.index = numbers.take(enter.target.index(), now);
  }
}

void ViewChanges::end_pair(SensorIndex sensor, EntityIndex target) {
  const SensorRow& row = tables_.sensors[sensor];
  assert(row.managed);
  Managed& managed = *row.managed;
  const auto at = std::lower_bound(managed.reported.begin(), managed.reported.end(), target);
  if (at == managed.reported.end() || *at != target) return;
  // The next update tells it, whether the pair ends before that or within.
  std::uint16_t index = 0;
  if (Numbering* const numbers = numberings_.find(sensor)) {
    index = numbers->give_back(target, tables_.update + 1, tables_.options.quarantine);
  }
  managed.reported.erase(at);
  extra_.add({tables_.sensor_id(sensor), tables_.id_of(tables_.owner_of(sensor)),
              EntityId{tables_.entity_ids.value(target)}, Kind::leave, Reason::removed, index});
}

Reason ViewChanges::reason_of_leave(SensorIndex sensor, EntityIndex target,
                                    const Found& found) const {
  const Scene& scene = tables_.scene;
  const Watch& watch = scene.watches[sensor];
  if (scene.spots[target].id == 0) return Reason::removed;  // of a list
  if (!watch.geometric) {
    if (!scene.filters.passes(watch.filter, scene.flags[target])) return Reason::filter;
    if (!lists_.joined(target)) return Reason::forced;
    return lists_.in_block(watch.owner, target) ? Reason::limit : Reason::geometry;
  }
  if (contains_value(found.left, target)) {
    return changes_.reason_of(sensor, target, Kind::leave);
  }
  // Without pinned targets all that were shown were in range; one that has not left still is.
  const bool in_range = !tables_.sensors[sensor].managed->pinned || index_.has(sensor, target);
  return in_range ? Reason::limit : Reason::forced;
}

Reason ViewChanges::reason_of_enter(SensorIndex sensor, EntityIndex target,
                                    const Found& found) const {
  if (tables_.sensors[sensor].managed->pinned && pins_.pins(sensor, target)) return Reason::forced;
  if (!tables_.scene.watches[sensor].geometric) return Reason::geometry;
  if (!contains_value(found.entered, target)) return Reason::limit;
  return changes_.reason_of(sensor, target, Kind::enter);
}

}  // namespace starbus::aoi
