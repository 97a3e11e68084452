#include "aoi/world/operations/migration.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace starbus::aoi {

Result<ObserverState> Migration::export_state(SensorId id) const {
  if (!parts_.tables.lives(id)) return Errc::unknown_sensor;
  const Numbering* const numbers = parts_.numberings.find(id.index());
  if (numbers == nullptr) return Error(Errc::bad_option, "the sensor is not indexed");
  ObserverState state;
  state.epoch = numbers->epoch;
  numbers->each([&](EntityIndex target, std::uint16_t index) {
    if (parts_.tables.scene.spots[target].id == 0) return;  // removed; the next update tells it
    state.targets.push_back(
        {parts_.tables.entities[target].key, index, parts_.pins.is_forced(id.index(), target)});
  });
  add_untold_forces(id.index(), *numbers, state);
  std::sort(state.targets.begin(), state.targets.end(), [](const auto& a, const auto& b) {
    return a.key != b.key ? a.key < b.key : a.index < b.index;
  });
  if (const auto good = check(state); !good) {
    return Error(Errc::bad_option, "two targets have the same key");
  }
  return state;
}

// Those that were forced since the last update: the client knows nothing of them.
void Migration::add_untold_forces(SensorIndex sensor, const Numbering& numbers,
                                  ObserverState& state) const {
  const auto& managed = parts_.tables.sensors[sensor].managed;
  if (!managed) return;
  for (const EntityIndex target : managed->forced) {
    const std::uint64_t key = parts_.tables.entities[target].key;
    if (key != 0 && numbers.of(target) == 0) state.targets.push_back({key, 0, true});
  }
}

// Goes by the old indices, so that an import into a fresh sensor renumbers as little as possible.
Result<Migration::Match> Migration::match(
    SensorId id, const ObserverState& state,
    const std::function<EntityId(std::uint64_t)>& resolve) const {
  if (const auto good = check(state); !good) return good.error();
  if (state.epoch > kMaxImportedEpoch) return Error(Errc::too_many, "kMaxImportedEpoch");
  const auto owner = owner_of(id);
  if (!owner) return Errc::unknown_sensor;
  Match match;
  std::vector<ObserverState::Target> targets = state.targets;
  std::sort(targets.begin(), targets.end(),
            [](const auto& a, const auto& b) { return a.index < b.index; });
  for (const ObserverState::Target& target : targets) {
    const EntityId entity = target.key != 0 ? resolve(target.key) : EntityId{};
    if (target.index == 0) {
      if (may_be_adopted(entity, true, *owner)) match.forced.push_back(entity);
      continue;
    }
    if (!may_be_adopted(entity, target.forced, *owner)) {
      match.batch.gone.push_back(target.index);
      continue;
    }
    const auto index = static_cast<std::uint16_t>(match.targets.size() + 1);
    match.batch.kept.push_back({target.index, index});
    match.targets.push_back({entity, target.forced});
  }
  return match;
}

std::optional<EntityIndex> Migration::owner_of(SensorId id) const {
  if (!parts_.tables.sensor_ids.valid(id.value)) return std::nullopt;
  if (parts_.tables.lives(id)) return parts_.tables.owner_of(id.index());
  const Deferred::Sensor* deferred = parts_.deferred.sensor(id);
  return deferred == nullptr ? std::nullopt : std::optional(deferred->owner);
}

// What is forced is seen whether it is observable or not.
bool Migration::may_be_adopted(EntityId target, bool forced, EntityIndex owner) const {
  const Tables& tables = parts_.tables;
  return tables.lives(target) && tables.entity_ids.valid(target.value) && target.index() != owner &&
         (forced || tables.scene.observable[target.index()] != 0);
}

Result<> Migration::check_targets(std::span<const Adopted> targets, EntityIndex owner) const {
  if (targets.size() > kMaxStateEntries) return Errc::too_large;
  std::vector<EntityIndex> order;
  std::size_t forced = 0;
  for (const Adopted& one : targets) {
    if (!may_be_adopted(one.entity, one.forced, owner)) {
      return Error(Errc::bad_option, "a target that cannot be seen");
    }
    forced += one.forced ? 1 : 0;
    order.push_back(one.entity.index());
  }
  if (forced > kMaxForced) return Error(Errc::too_many, "kMaxForced");
  std::sort(order.begin(), order.end());
  if (std::adjacent_find(order.begin(), order.end()) != order.end()) {
    return Error(Errc::bad_option, "a target twice");
  }
  return {};
}

Result<> Migration::adopt(SensorId id, std::span<const Adopted> targets, std::uint32_t last_epoch) {
  parts_.removals.settle();  // the caller's lookup of keys may have removed entities
  const auto owner = owner_of(id);
  if (!owner) return Errc::unknown_sensor;
  if (parts_.tables.lives(id)) {
    if (const auto good = check_sees_nothing(id); !good) return good;
  } else if (!parts_.deferred.sensor(id)->indexed) {
    return Error(Errc::bad_option, "the sensor is not indexed");
  }
  if (!parts_.numberings.can_begin(*owner)) return Error(Errc::too_many, "kMaxEpoch");
  if (const auto good = check_targets(targets, *owner); !good) return good;
  if (last_epoch != 0) parts_.numberings.raise(*owner, last_epoch);
  parts_.numberings.begin(*owner, id);
  return parts_.deferred.run(
      [this, id, all = std::vector<Adopted>(targets.begin(), targets.end())] {
        return do_adopt(id, all);
      });
}

Result<> Migration::check_sees_nothing(SensorId id) const {
  const Numbering* const numbers = parts_.numberings.find(id.index());
  if (numbers == nullptr) return Error(Errc::bad_option, "the sensor is not indexed");
  const auto& managed = parts_.tables.sensors[id.index()].managed;
  if (numbers->in_use() != 0 ||
      (managed && (!managed->reported.empty() || !managed->forced.empty()))) {
    return Error(Errc::bad_option, "the sensor sees something already");
  }
  return {};
}

// Targets get the indices 1, 2, ... in the order given.
Result<> Migration::do_adopt(SensorId id, std::span<const Adopted> targets) {
  Tables& tables = parts_.tables;
  if (!tables.lives(id)) return Errc::unknown_sensor;
  if (const auto good = check_sees_nothing(id); !good) return good;
  const SensorIndex sensor = id.index();
  SensorRow& row = tables.sensors[sensor];
  const Watch& watch = tables.scene.watches[sensor];
  Numbering& numbers = *parts_.numberings.find(sensor);
  std::vector<EntityIndex> forced;
  for (const Adopted& one : targets) {
    const EntityIndex target = one.entity.index();
    (void)numbers.take(target, tables.update);
    if (one.forced) forced.push_back(target);
    if (!watch.geometric || tables.scene.observable[target] == 0) continue;
    parts_.index.adopt(sensor, target);
    if (watch.tracked) ++row.in_range;
  }
  parts_.interest.manage_if_needed(sensor);
  if (!forced.empty()) parts_.interest.manage(sensor);
  if (row.managed) {
    std::vector<EntityIndex>& reported = row.managed->reported;
    reported.clear();
    for (const Adopted& one : targets) reported.push_back(one.entity.index());
    std::sort(reported.begin(), reported.end());
    for (const EntityIndex target : forced) parts_.pins.force(sensor, target);
    row.managed->pinned = row.managed->pinned || !forced.empty();
  }
  if (!watch.geometric) adopt_list(watch.owner, targets);
  parts_.interest.decide_later(sensor);
  return {};
}

// The lists of both get each other as far as they have room. What is missing then is for a search,
// which comes with the next update whatever the budget is: one that is put off would report that
// all have left.
void Migration::adopt_list(EntityIndex owner, std::span<const Adopted> targets) {
  for (const Adopted& one : targets) parts_.lists.adopt(owner, one.entity.index());
  parts_.lists.search_first(owner);
}

}  // namespace starbus::aoi
