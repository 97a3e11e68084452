// Observers that come from, or go to, another process.
#include <algorithm>

#include "aoi/observer_state.hpp"
#include "aoi/replay/recording.hpp"
#include "aoi/world_impl.hpp"

namespace starbus::aoi {

Result<ObserverState> World::Impl::export_state(SensorId id) const {
  if (!lives(id)) return Errc::unknown_sensor;
  const SensorRow& row = sensors_[id.index()];
  if (!row.indexed) return Error(Errc::bad_option, "the sensor is not indexed");
  const Managed& managed = *row.managed;
  ObserverState state;
  state.epoch = epoch(id);
  for (std::size_t i = 0; i < managed.told.size(); ++i) {
    const EntityIndex target = managed.told[i];
    const bool forced = std::binary_search(managed.forced.begin(), managed.forced.end(), target);
    if (managed.indices[i] != 0) {
      state.targets.push_back({entities_[target].key, managed.indices[i], forced});
    }
  }
  std::sort(state.targets.begin(), state.targets.end(), [](const auto& a, const auto& b) {
    return a.key != b.key ? a.key < b.key : a.index < b.index;
  });
  if (const auto good = aoi::check(state); !good) {
    return Error(Errc::bad_option, "two targets have the same key");
  }
  return state;
}

Result<ReindexBatch> World::Impl::import_state(
    SensorId id, const ObserverState& state,
    const std::function<EntityId(std::uint64_t)>& resolve) {
  if (const auto good = aoi::check(state); !good) return good.error();
  const auto owner = owner_of(id);
  if (!owner) return Errc::unknown_sensor;
  std::vector<Adopted> found;
  ReindexBatch batch;
  // By the old index, so that who imports into a fresh sensor renumbers as little as possible.
  std::vector<ObserverState::Target> targets = state.targets;
  std::sort(targets.begin(), targets.end(),
            [](const auto& a, const auto& b) { return a.index < b.index; });
  for (const ObserverState::Target& target : targets) {
    const EntityId entity = target.key != 0 ? resolve(target.key) : EntityId{};
    if (!may_be_adopted(entity, *owner)) {
      batch.gone.push_back(target.index);
      continue;
    }
    batch.kept.push_back({target.index, static_cast<std::uint16_t>(found.size() + 1)});
    found.push_back({entity, target.forced});
  }
  if (const auto done = adopt(id, found, state.epoch); !done) return done.error();
  return batch;
}

// Of a sensor that lives, or is awaited.
std::optional<EntityIndex> World::Impl::owner_of(SensorId id) const {
  if (!sensor_ids_.valid(id.value)) return std::nullopt;
  if (lives(id)) return scene_.watches[id.index()].owner;
  const auto at = std::ranges::find(awaited_, id, &Awaited::sensor);
  return at == awaited_.end() ? std::nullopt : std::optional(at->owner);
}

bool World::Impl::may_be_adopted(EntityId target, EntityIndex owner) const {
  return lives(target) && entity_ids_.valid(target.value) && target.index() != owner &&
         scene_.observable[target.index()] != 0;
}

// `last_epoch`: of the numbering in which the client knows them.
Result<> World::Impl::adopt(SensorId id, std::span<const Adopted> targets,
                            std::uint32_t last_epoch) {
  settle();  // whoever resolves keys may have removed somebody
  const auto owner = owner_of(id);
  if (!owner) return Errc::unknown_sensor;
  if (lives(id)) {
    if (const auto free = sees_nothing(id); !free) return free;
  } else if (!std::ranges::find(awaited_, id, &Awaited::sensor)->indexed) {
    return Error(Errc::bad_option, "the sensor is not indexed");
  }
  if (targets.size() > kMaxStateEntries) return Errc::too_large;
  if (!may_number(*owner)) return Error(Errc::too_many, "kMaxEpoch");
  std::vector<EntityIndex> order;
  std::size_t forced = 0;
  for (const Adopted& one : targets) {
    if (!may_be_adopted(one.entity, *owner)) {
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
  if (last_epoch != 0) (void)set_epoch(EntityId{entity_ids_.value(*owner)}, last_epoch);
  begin_numbering(*owner, id);
  if (recorder != nullptr) recorder->adopt(id, targets);
  return now_or_later([this, id, all = std::vector<Adopted>(targets.begin(), targets.end())] {
    return do_adopt(id, all);
  });
}

Result<> World::Impl::sees_nothing(SensorId id) const {
  const SensorRow& row = sensors_[id.index()];
  if (!row.indexed) return Error(Errc::bad_option, "the sensor is not indexed");
  if (!row.managed->told.empty() || !row.managed->forced.empty()) {
    return Error(Errc::bad_option, "the sensor sees something already");
  }
  return {};
}

Result<> World::Impl::do_adopt(SensorId id, std::span<const Adopted> targets) {
  if (!lives(id)) return Errc::unknown_sensor;
  if (const auto free = sees_nothing(id); !free) return free;
  const SensorIndex sensor = id.index();
  SensorRow& row = sensors_[sensor];
  Managed& managed = *row.managed;
  std::vector<std::pair<EntityIndex, std::size_t>> order;
  for (const Adopted& one : targets) order.emplace_back(one.entity.index(), order.size());
  std::sort(order.begin(), order.end());
  managed.wire = {};
  for (std::size_t i = 0; i < order.size(); ++i) (void)managed.wire.take(update_);
  for (const auto& [entity, at] : order) {
    managed.told.push_back(entity);
    managed.indices.push_back(static_cast<std::uint16_t>(at + 1));
    if (targets[at].forced) {
      managed.forced.push_back(entity);
      forced_by_[entity].push_back(sensor);
      managed.held = true;
    }
    if (scene_.watches[sensor].geometric) {
      index_->adopt(sensor, entity);
      ++row.in_range;
    }
  }
  decide_later(sensor);
  return {};
}

Result<ObserverState> World::export_state(SensorId sensor) const {
  return settled().export_state(sensor);
}
Result<ReindexBatch> World::import_state(SensorId sensor, const ObserverState& state,
                                         const std::function<EntityId(std::uint64_t)>& resolve) {
  return settled().import_state(sensor, state, resolve);
}
Result<> World::adopt(SensorId sensor, std::span<const Adopted> targets) {
  return settled().adopt(sensor, targets);
}

}  // namespace starbus::aoi
