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
  if (tables_.sensors[sensor].indexed) renumber(managed, shown);
  managed.reported.swap(shown);
}

// Gives the events just added, and all targets reported from now on, their wire indices, in the
// order of targets.
void ViewChanges::renumber(Managed& managed, const std::vector<EntityIndex>& shown) {
  assert(managed.indices.size() == managed.reported.size());
  std::vector<std::uint16_t> indices;
  const std::span<Event> leaves = extra_.last(Kind::leave, gone_.size());
  const std::span<Event> enters = extra_.last(Kind::enter, new_.size());
  std::size_t old = 0;
  std::size_t gone = 0;
  std::size_t come = 0;
  const auto give_back_until = [&](EntityIndex target) {
    for (; gone < gone_.size() && gone_[gone] < target; ++gone, ++old) {
      leaves[gone].index = managed.indices[old];
      managed.wire.give_back(managed.indices[old], tables_.update, tables_.options.quarantine);
    }
  };
  for (const EntityIndex target : shown) {
    give_back_until(target);
    if (come < new_.size() && new_[come] == target) {
      indices.push_back(managed.wire.take(tables_.update));
      enters[come++].index = indices.back();
    } else {
      indices.push_back(managed.indices[old++]);
    }
  }
  give_back_until(kNone);
  assert(indices.size() == shown.size());
  managed.indices.swap(indices);
}

void ViewChanges::end_pair(SensorIndex sensor, EntityIndex target) {
  const SensorRow& row = tables_.sensors[sensor];
  assert(row.managed);
  Managed& managed = *row.managed;
  const auto at = std::lower_bound(managed.reported.begin(), managed.reported.end(), target);
  if (at == managed.reported.end() || *at != target) return;
  std::uint16_t index = 0;
  if (row.indexed) {
    const auto beside = managed.indices.begin() + (at - managed.reported.begin());
    index = *beside;
    managed.wire.give_back(index, tables_.update, tables_.options.quarantine);
    managed.indices.erase(beside);
  }
  managed.reported.erase(at);
  extra_.add({tables_.sensor_id(sensor), tables_.id_of(tables_.owner_of(sensor)),
              tables_.id_of(target), Kind::leave, Reason::removed, index});
}

Reason ViewChanges::reason_of_leave(SensorIndex sensor, EntityIndex target,
                                    const Found& found) const {
  const Scene& scene = tables_.scene;
  const Watch& watch = scene.watches[sensor];
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
