// Observers that come from, or go to, another process.
#include <algorithm>

#include "aoi/observer_state.hpp"
#include "aoi/recording.hpp"
#include "aoi/world_impl.hpp"

namespace starbus::aoi {

Result<ObserverState> World::Impl::export_state(SensorId id) const {
  if (!lives(id)) return Errc::unknown_sensor;
  const SensorRow& row = sensors_[id.index()];
  if (!row.indexed) return Error(Errc::bad_option, "the sensor is not indexed");
  const Managed& managed = *row.managed;
  ObserverState state;
  for (std::size_t i = 0; i < managed.told.size(); ++i) {
    const EntityIndex target = managed.told[i];
    const bool forced = std::binary_search(managed.forced.begin(), managed.forced.end(), target);
    const std::uint64_t key = entities_[target].key;
    if (key != 0 && managed.indices[i] != 0) {
      state.targets.push_back({key, managed.indices[i], forced});
    }
  }
  std::sort(state.targets.begin(), state.targets.end(),
            [](const auto& a, const auto& b) { return a.key < b.key; });
  if (const auto good = aoi::check(state); !good) {
    return Error(Errc::bad_option, "two targets have the same key");
  }
  return state;
}

Result<ReindexBatch> World::Impl::import_state(
    SensorId id, const ObserverState& state,
    const std::function<EntityId(std::uint64_t)>& resolve) {
  if (const auto good = aoi::check(state); !good) return good.error();
  if (!lives(id)) return Errc::unknown_sensor;
  std::vector<Adopted> found;
  std::vector<std::uint16_t> old;
  ReindexBatch batch;
  const EntityIndex owner = scene_.watches[id.index()].owner;
  // By the old index, so that who imports into a fresh sensor renumbers as little as possible.
  std::vector<ObserverState::Target> targets = state.targets;
  std::sort(targets.begin(), targets.end(),
            [](const auto& a, const auto& b) { return a.index < b.index; });
  for (const ObserverState::Target& target : targets) {
    const EntityId entity = resolve(target.key);
    const bool here =
        lives(entity) && entity.index() != owner && scene_.observable[entity.index()] != 0;
    if (!here) {
      batch.gone.push_back(target.index);
      continue;
    }
    batch.kept.push_back({target.index, static_cast<std::uint16_t>(found.size() + 1)});
    found.push_back({entity, target.forced});
  }
  if (const auto done = adopt(id, found); !done) return done.error();
  return batch;
}

Result<> World::Impl::adopt(SensorId id, std::span<const Adopted> targets) {
  if (!lives(id)) return Errc::unknown_sensor;
  const SensorIndex sensor = id.index();
  SensorRow& row = sensors_[sensor];
  if (!row.indexed) return Error(Errc::bad_option, "the sensor is not indexed");
  Managed& managed = *row.managed;
  if (!managed.told.empty() || !managed.forced.empty()) {
    return Error(Errc::bad_option, "the sensor sees something already");
  }
  if (targets.size() > kMaxStateEntries) return Errc::too_large;
  std::vector<std::pair<EntityIndex, std::size_t>> order;
  std::size_t forced = 0;
  for (const Adopted& one : targets) {
    if (!lives(one.entity) || scene_.observable[one.entity.index()] == 0 ||
        one.entity.index() == scene_.watches[sensor].owner) {
      return Error(Errc::bad_option, "a target that cannot be seen");
    }
    forced += one.forced ? 1 : 0;
    order.emplace_back(one.entity.index(), order.size());
  }
  if (forced > kMaxForced) return Error(Errc::too_many, "kMaxForced");
  std::sort(order.begin(), order.end());
  const auto same = [](const auto& a, const auto& b) { return a.first == b.first; };
  if (std::adjacent_find(order.begin(), order.end(), same) != order.end()) {
    return Error(Errc::bad_option, "a target twice");
  }
  if (recorder != nullptr) recorder->adopt(id, targets);
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
  return impl_->export_state(sensor);
}
Result<ReindexBatch> World::import_state(SensorId sensor, const ObserverState& state,
                                         const std::function<EntityId(std::uint64_t)>& resolve) {
  return impl_->import_state(sensor, state, resolve);
}
Result<> World::adopt(SensorId sensor, std::span<const Adopted> targets) {
  return impl_->adopt(sensor, targets);
}

}  // namespace starbus::aoi
