#include "aoi/world/operations/migration.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace starbus::aoi {

Result<ObserverState> Migration::export_state(SensorId id) const {
  if (!parts_.tables.lives(id)) return Errc::unknown_sensor;
  const SensorRow& row = parts_.tables.sensors[id.index()];
  if (!row.indexed) return Error(Errc::bad_option, "the sensor is not indexed");
  const Managed& managed = *row.managed;
  ObserverState state;
  state.epoch = parts_.epochs.of(id);
  for (std::size_t i = 0; i < managed.reported.size(); ++i) {
    const EntityIndex target = managed.reported[i];
    if (managed.indices[i] == 0) continue;
    state.targets.push_back({parts_.tables.entities[target].key, managed.indices[i],
                             contains_value(managed.forced, target)});
  }
  std::sort(state.targets.begin(), state.targets.end(), [](const auto& a, const auto& b) {
    return a.key != b.key ? a.key < b.key : a.index < b.index;
  });
  if (const auto good = check(state); !good) {
    return Error(Errc::bad_option, "two targets have the same key");
  }
  return state;
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
    if (!may_be_adopted(entity, *owner)) {
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

bool Migration::may_be_adopted(EntityId target, EntityIndex owner) const {
  const Tables& tables = parts_.tables;
  return tables.lives(target) && tables.entity_ids.valid(target.value) && target.index() != owner &&
         tables.scene.observable[target.index()] != 0;
}

Result<> Migration::check_targets(std::span<const Adopted> targets, EntityIndex owner) const {
  if (targets.size() > kMaxStateEntries) return Errc::too_large;
  std::vector<EntityIndex> order;
  std::size_t forced = 0;
  for (const Adopted& one : targets) {
    if (!may_be_adopted(one.entity, owner)) {
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
  if (!parts_.epochs.can_begin(*owner)) return Error(Errc::too_many, "kMaxEpoch");
  if (const auto good = check_targets(targets, *owner); !good) return good;
  if (last_epoch != 0) parts_.epochs.raise(*owner, last_epoch);
  parts_.epochs.begin(*owner, id);
  return parts_.deferred.run(
      [this, id, all = std::vector<Adopted>(targets.begin(), targets.end())] {
        return do_adopt(id, all);
      });
}

Result<> Migration::check_sees_nothing(SensorId id) const {
  const SensorRow& row = parts_.tables.sensors[id.index()];
  if (!row.indexed) return Error(Errc::bad_option, "the sensor is not indexed");
  if (!row.managed->reported.empty() || !row.managed->forced.empty()) {
    return Error(Errc::bad_option, "the sensor sees something already");
  }
  return {};
}

// Targets get the indices 1, 2, ... in the order given; `reported` is in the order of entities.
Result<> Migration::do_adopt(SensorId id, std::span<const Adopted> targets) {
  Tables& tables = parts_.tables;
  if (!tables.lives(id)) return Errc::unknown_sensor;
  if (const auto good = check_sees_nothing(id); !good) return good;
  const SensorIndex sensor = id.index();
  SensorRow& row = tables.sensors[sensor];
  Managed& managed = *row.managed;
  std::vector<std::pair<EntityIndex, std::size_t>> order;
  for (const Adopted& one : targets) order.emplace_back(one.entity.index(), order.size());
  std::sort(order.begin(), order.end());
  managed.wire = {};
  for (std::size_t i = 0; i < order.size(); ++i) (void)managed.wire.take(tables.update);
  for (const auto& [entity, at] : order) {
    managed.reported.push_back(entity);
    managed.indices.push_back(static_cast<std::uint16_t>(at + 1));
    if (targets[at].forced) {
      parts_.pins.force(sensor, entity);
      managed.pinned = true;
    }
    if (tables.scene.watches[sensor].geometric) {
      parts_.index.adopt(sensor, entity);
      ++row.in_range;
    }
  }
  assert(managed.reported.size() == managed.indices.size());
  parts_.interest.decide_later(sensor);
  return {};
}

}  // namespace starbus::aoi
