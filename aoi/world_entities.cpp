// What changes entities.
#include <algorithm>
#include <cmath>

#include "aoi/arrays/prefetch.hpp"
#include "aoi/check.hpp"
#include "aoi/replay/recording.hpp"
#include "aoi/world_impl.hpp"

namespace starbus::aoi {

Result<EntityId> World::Impl::add(const EntityOptions& of) {
  if (const auto good = check(of); !good) return good.error();
  const EntityId id{entity_ids_.allocate()};
  if (!id) return Error(Errc::too_many, "kMaxEntities");
  fetch_upcoming();
  if (telling_ && !of.observable) awaited_hidden_.push_back(id);
  (void)now_or_later([this, id, of]() -> Result<> {
    do_add(id, of);
    return {};
  });
  if (recorder != nullptr) recorder->add(id, of);
  return id;
}

// Indices come again in the order in which they were freed, and so from anywhere in the tables.
void World::Impl::fetch_upcoming() const {
  constexpr std::size_t kAhead = 2;
  if (const std::uint32_t entity = entity_ids_.upcoming(kAhead); entity != 0) {
    prefetch_line_to_write(&scene_.spots[entity]);
    prefetch_line_to_write(&scene_.flags[entity]);
    prefetch_line_to_write(&scene_.first_sensor[entity]);
    prefetch_line_to_write(&entities_[entity]);
    index_->fetch(entity, 0);
  }
  if (const std::uint32_t sensor = sensor_ids_.upcoming(kAhead); sensor != 0) {
    prefetch_line_to_write(&scene_.watches[sensor]);
    prefetch_line_to_write(&sensors_[sensor]);
  }
}

void World::Impl::do_add(EntityId id, const EntityOptions& of) {
  const EntityIndex entity = id.index();
  if (scene_.spots.size() <= entity) {
    scene_.spots.resize(entity + 1u);
    scene_.flags.resize(entity + 1u);
    scene_.observable.resize(entity + 1u);
    scene_.first_sensor.resize(entity + 1u, kNone);
    // A handler that has added this one and a sensor to a later one has made room already.
    entities_.resize(std::max<std::size_t>(entities_.size(), entity + 1u));
  }
  scene_.spots[entity] = {clamped(of.position), id.value};
  scene_.flags[entity] = of.flags;
  scene_.observable[entity] = of.observable ? 1 : 0;
  scene_.first_sensor[entity] = kNone;
  EntityRow& row = entities_[entity];
  const std::uint16_t sensors = row.sensors;  // may have been counted before this was done
  row = {};
  row.key = of.key;
  row.weight = of.weight;
  row.sensors = sensors;
  index_->insert(entity);
}

Result<> World::Impl::remove(EntityId id) {
  if (!entity_ids_.valid(id.value)) return Errc::unknown_entity;
  entity_ids_.retire(id.index());
  if (id.index() < scene_.first_sensor.size()) {
    for (SensorIndex s = scene_.first_sensor[id.index()]; s != kNone; s = scene_.watches[s].next) {
      sensor_ids_.retire(s);
    }
  }
  if (recorder != nullptr) recorder->remove(id);
  if (telling_) {
    later_.push_back([this, id]() -> Result<> {
      leaving_entities_.push_back(id.index());
      settle();
      return {};
    });
    return {};
  }
  leaving_entities_.push_back(id.index());
  prefetch_line_to_write(&scene_.spots[id.index()]);
  prefetch_line_to_write(&entities_[id.index()]);
  index_->fetch(id.index(), 0);
  if (leaving_entities_.size() == kLeaveTogether) settle();
  return {};
}

Result<> World::Impl::move(EntityId id, Position to) {
  if (!ordinary(to) && !finite(to)) [[unlikely]]
    return Errc::bad_position;
  if (!entity_ids_.valid(id.value)) return Errc::unknown_entity;
  if (recorder != nullptr) recorder->move(id, to);
  if (telling_) [[unlikely]] {
    return now_or_later([this, id, to]() -> Result<> {
      if (!lives(id)) return Errc::unknown_entity;
      do_move(id, to);
      return {};
    });
  }
  do_move(id, to);
  return {};
}

void World::Impl::do_move(EntityId id, Position to) {
  const EntityIndex entity = id.index();
  const Position at = clamped(to);
  Spot& spot = scene_.spots[entity];
  if (spot.at == at) return;
  spot.at = at;
  index_->move(entity);
  if (symmetric_->joined(entity)) symmetric_->moved(entity);
}

Result<> World::Impl::set_flags(EntityId id, std::uint64_t flags) {
  if (!entity_ids_.valid(id.value)) return Errc::unknown_entity;
  if (recorder != nullptr) recorder->set_flags(id, flags);
  return now_or_later([this, id, flags]() -> Result<> {
    if (!lives(id)) return Errc::unknown_entity;
    do_set_flags(id, flags);
    return {};
  });
}

void World::Impl::do_set_flags(EntityId id, std::uint64_t flags) {
  const EntityIndex entity = id.index();
  if (scene_.flags[entity] == flags) return;
  if (!entities_[entity].reflagged) {
    entities_[entity].reflagged = true;
    reflagged_.push_back({entity, scene_.flags[entity]});
  }
  scene_.flags[entity] = flags;
  index_->refilter(entity);
  symmetric_->recheck(entity);
  if (!entities_[entity].beacon) return;
  for (SensorIndex sensor = 0; sensor < sensors_.size(); ++sensor) {
    if (sensors_[sensor].live && sensors_[sensor].sees_beacons) decide_later(sensor);
  }
}

Result<> World::Impl::set_weight(EntityId id, float weight) {
  if (!std::isfinite(weight)) return Error(Errc::bad_option, "weight");
  if (!entity_ids_.valid(id.value)) return Errc::unknown_entity;
  if (recorder != nullptr) recorder->set_weight(id, weight);
  return now_or_later([this, id, weight]() -> Result<> {
    if (!lives(id)) return Errc::unknown_entity;
    entities_[id.index()].weight = weight;
    std::vector<SensorIndex> around;
    index_->observers(id.index(), around);
    for (const SensorIndex sensor : around) {
      if (sensors_[sensor].managed) decide_later(sensor);
    }
    return {};
  });
}

}  // namespace starbus::aoi
