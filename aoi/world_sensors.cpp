// What changes sensors.
#include <algorithm>

#include "aoi/arrays/sort_indices.hpp"
#include "aoi/check.hpp"
#include "aoi/replay/recording.hpp"
#include "aoi/world_impl.hpp"

namespace starbus::aoi {

std::optional<FilterNumber> World::Impl::acquire(const Filter& filter) {
  auto number = scene_.filters.acquire(filter);
  if (!number && !leaving_entities_.empty()) {  // they may leave one free
    settle();
    number = scene_.filters.acquire(filter);
  }
  if (number) index_->refilter_all(*number);
  return number;
}

bool World::Impl::has_symmetric(EntityIndex owner) const {
  if (symmetric_->joined(owner) &&
      sensor_ids_.valid(sensor_id(symmetric_->sensor_of(owner)).value)) {
    return true;
  }
  return std::ranges::any_of(awaited_, [&](const Awaited& one) {
    return one.owner == owner && one.symmetric && sensor_ids_.valid(one.sensor.value);
  });
}

bool World::Impl::has_indexed(EntityIndex owner) const {
  if (owner < scene_.first_sensor.size()) {
    for (SensorIndex s = scene_.first_sensor[owner]; s != kNone; s = scene_.watches[s].next) {
      if (sensors_[s].indexed && sensor_ids_.valid(sensor_id(s).value)) return true;
    }
  }
  return std::ranges::any_of(awaited_, [&](const Awaited& one) {
    return one.owner == owner && one.indexed && sensor_ids_.valid(one.sensor.value);
  });
}

bool World::Impl::is_hidden(EntityId entity) const {
  if (lives(entity)) return scene_.observable[entity.index()] == 0;
  return std::ranges::find(awaited_hidden_, entity) != awaited_hidden_.end();
}

Result<SensorId> World::Impl::add_sensor(EntityId owner, const SensorOptions& of, Handler own) {
  if (const auto good = check(of); !good) return good.error();
  if (!entity_ids_.valid(owner.value)) return Errc::unknown_entity;
  if (entities_.size() <= owner.index()) entities_.resize(owner.index() + 1u);
  EntityRow& row = entities_[owner.index()];
  if (row.sensors == kMaxSensorsPerEntity) return Error(Errc::too_many, "kMaxSensorsPerEntity");
  const bool symmetric = of.limit.policy == LimitPolicy::symmetric;
  if (symmetric && has_symmetric(owner.index())) {
    return Error(Errc::bad_option, "one symmetric sensor per entity");
  }
  if (symmetric && is_hidden(owner)) {
    return Error(Errc::bad_option, "nobody may see it, so it can be in no symmetric list");
  }
  if (of.indexed && has_indexed(owner.index())) {
    return Error(Errc::bad_option, "one indexed sensor per entity: its client has one numbering");
  }
  if (of.indexed && !may_number(owner.index())) return Error(Errc::too_many, "kMaxEpoch");
  // Who is seen wherever it is, or in a list, may be about to leave.
  if (!beacons_.empty() || symmetric) settle();
  const auto filter = acquire(of.filter);
  if (!filter) return Error(Errc::too_many, "kMaxFilters");
  const SensorId id{sensor_ids_.allocate()};
  if (!id) {
    scene_.filters.release(*filter);
    return Error(Errc::too_many, "kMaxSensors");
  }
  ++row.sensors;
  if (of.indexed) begin_numbering(owner.index(), id);
  if (own) handlers_.emplace(id.value, std::make_unique<Handler>(std::move(own)));
  if (telling_) awaited_.push_back({id, owner.index(), symmetric, of.indexed});
  (void)now_or_later([this, id, owner, of, number = *filter]() -> Result<> {
    do_add_sensor(id, owner, of, number);
    return {};
  });
  if (recorder != nullptr) recorder->add_sensor(id, owner, of);
  return id;
}

void World::Impl::do_add_sensor(SensorId id, EntityId owner, const SensorOptions& of,
                                FilterNumber filter) {
  const SensorIndex sensor = id.index();
  if (sensors_.size() <= sensor) {
    sensors_.resize(sensor + 1u);
    scene_.watches.resize(sensor + 1u);
    scene_.always.resize(sensor + 1u);
  }
  scene_.always[sensor] = false;
  // Who comes has not gone anywhere since it looked.
  if (sensor < looked_from_.size()) looked_from_[sensor] = scene_.spots[owner.index()].at;
  sensors_[sensor] = {};
  sensors_[sensor].live = true;
  sensors_[sensor].indexed = of.indexed;
  Watch& watch = scene_.watches[sensor];
  watch = {};
  watch.owner = owner.index();
  watch.next = scene_.first_sensor[owner.index()];
  watch.geometric = of.limit.policy != LimitPolicy::symmetric;
  scene_.first_sensor[owner.index()] = sensor;
  set_watch(sensor, of, filter);
  if (watch.geometric) {
    ++geometric_;
    index_->attach(sensor);
  } else {
    symmetric_->join(owner.index(), sensor);
  }
  manage_or_not(sensor);
  if (!beacons_.empty()) decide_later(sensor);
}

void World::Impl::set_watch(SensorIndex sensor, const SensorOptions& of, FilterNumber filter) {
  SensorRow& row = sensors_[sensor];
  if (row.period != 1) --with_period_;
  if (of.period != 1) ++with_period_;
  row.limit = of.limit;
  row.period = of.period;
  row.priority = of.priority;
  row.sees_beacons = of.sees_beacons;
  Watch& watch = scene_.watches[sensor];
  watch.radius = of.radius;
  watch.leave_margin = of.leave_margin;
  watch.min_height = of.min_height;
  watch.max_height = of.max_height;
  watch.has_height = of.min_height != 0 || of.max_height != 0;
  watch.has_margin = of.leave_margin > 0;
  watch.filter = filter;
  watch.noted = row.managed || row.limited();
}

Result<> World::Impl::remove_sensor(SensorId id) {
  if (!sensor_ids_.valid(id.value)) return Errc::unknown_sensor;
  sensor_ids_.retire(id.index());
  if (recorder != nullptr) recorder->remove_sensor(id);
  return now_or_later([this, id]() -> Result<> {
    if (!lives(id)) return Errc::unknown_sensor;
    do_remove_sensor(id);
    return {};
  });
}

void World::Impl::do_remove_sensor(SensorId id) {
  const SensorIndex sensor = id.index();
  SensorRow& row = sensors_[sensor];
  Watch& watch = scene_.watches[sensor];
  std::vector<EntityIndex> saw;
  if (watch.geometric) {
    --geometric_;
    index_->detach(sensor, saw);
  } else {
    symmetric_->leave(watch.owner);
  }
  if (row.managed) {
    saw = row.managed->told;
    for (const EntityIndex target : saw) tell_end(sensor, target);
    saw.clear();  // all is told
  }
  sort_indices(saw, marks_);
  endings_.end(sensor, id_of(watch.owner), saw);
  if (row.managed) {
    for (const EntityIndex target : row.managed->forced) std::erase(forced_by_[target], sensor);
  }
  unlink(sensor);
  --entities_[watch.owner].sensors;
  scene_.filters.release(watch.filter);
  if (row.period != 1) --with_period_;
  if (handlers_.contains(id.value)) ended_handlers_.push_back(id.value);
  if (row.indexed) end_numbering(id);
  watch = {};
  row = {};
  sensor_ids_.free(sensor, update_);
}

void World::Impl::unlink(SensorIndex sensor) {
  SensorIndex* at = &scene_.first_sensor[scene_.watches[sensor].owner];
  while (*at != sensor) at = &scene_.watches[*at].next;
  *at = scene_.watches[sensor].next;
}

Result<> World::Impl::set_options(SensorId id, const SensorOptions& of) {
  if (const auto good = check(of); !good) return good.error();
  if (!sensor_ids_.valid(id.value)) return Errc::unknown_sensor;
  const auto filter = acquire(of.filter);
  if (!filter) return Error(Errc::too_many, "kMaxFilters");
  if (lives(id) &&
      scene_.watches[id.index()].geometric == (of.limit.policy == LimitPolicy::symmetric)) {
    scene_.filters.release(*filter);
    return Error(Errc::bad_option, "symmetric can neither be taken up nor left");
  }
  if (recorder != nullptr) recorder->set_options(id, of);
  return now_or_later([this, id, of, number = *filter]() -> Result<> {
    if (!lives(id) ||
        scene_.watches[id.index()].geometric == (of.limit.policy == LimitPolicy::symmetric)) {
      scene_.filters.release(number);
      return lives(id) ? Errc::bad_option : Errc::unknown_sensor;
    }
    do_set_options(id, of, number);
    return {};
  });
}

void World::Impl::do_set_options(SensorId id, const SensorOptions& of, FilterNumber filter) {
  const SensorIndex sensor = id.index();
  const bool counted = scene_.watches[sensor].noted;
  scene_.filters.release(scene_.watches[sensor].filter);
  set_watch(sensor, of, filter);
  if (scene_.watches[sensor].noted && !counted) {
    in_range_.clear();
    index_->in_range(sensor, in_range_);
    sensors_[sensor].in_range = static_cast<std::uint32_t>(in_range_.size());
  }
  manage_or_not(sensor);
  look_anew(sensor);
}

Result<> World::Impl::set_radius(SensorId id, float radius, float leave_margin) {
  if (const auto good = check_radius(radius, leave_margin); !good) return good;
  if (!sensor_ids_.valid(id.value)) return Errc::unknown_sensor;
  if (recorder != nullptr) recorder->set_radius(id, radius, leave_margin);
  return now_or_later([this, id, radius, leave_margin]() -> Result<> {
    if (!lives(id)) return Errc::unknown_sensor;
    do_set_radius(id.index(), radius, leave_margin);
    return {};
  });
}

void World::Impl::do_set_radius(SensorIndex sensor, float radius, float leave_margin) {
  Watch& watch = scene_.watches[sensor];
  watch.radius = radius;
  watch.leave_margin = leave_margin;
  watch.has_margin = leave_margin > 0;
  look_anew(sensor);
}

// Its watch has changed.
void World::Impl::look_anew(SensorIndex sensor) {
  if (scene_.watches[sensor].geometric) {
    index_->rewatch(sensor);
  } else {
    symmetric_->recheck(scene_.watches[sensor].owner);
  }
  if (sensors_[sensor].managed) decide_later(sensor);
}

}  // namespace starbus::aoi
