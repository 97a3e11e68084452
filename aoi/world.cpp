#include "aoi/world.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "aoi/cells.hpp"
#include "aoi/measure.hpp"
#include "aoi/observer_state.hpp"
#include "aoi/recording.hpp"
#include "aoi/sort_indices.hpp"
#include "aoi/world_impl.hpp"

namespace starbus::aoi {
namespace {

constexpr float kMinReach = 1;

bool finite(const Position& at) {
  return std::isfinite(at.x) && std::isfinite(at.y) && std::isfinite(at.z);
}

// As nearly all are: finite, and nothing to clamp.
bool ordinary(const Position& at) {
  constexpr auto kMost = static_cast<float>(kMaxCoordinate);
  return std::fabs(at.x) <= kMost && std::fabs(at.y) <= kMost && std::fabs(at.z) <= kMost;
}

Position clamped(const Position& at) {
  if (ordinary(at)) [[likely]]
    return at;
  const auto most = static_cast<float>(kMaxCoordinate);
  return {std::clamp(at.x, -most, most), std::clamp(at.y, -most, most),
          std::clamp(at.z, -most, most)};
}

bool not_negative(float value) {
  return std::isfinite(value) && value >= 0;
}

Result<> check_radius(float radius, float leave_margin) {
  if (!not_negative(radius)) return Error(Errc::bad_option, "radius");
  if (!not_negative(leave_margin)) return Error(Errc::bad_option, "leave_margin");
  if (radius + leave_margin > static_cast<float>(kMaxRadius)) {
    return Error(Errc::too_large, "radius");
  }
  return {};
}

Result<> check_symmetric(const SymmetricOptions& options) {
  if (options.capacity == 0 || options.capacity > kMaxLimit) {
    return Error(Errc::bad_option, "symmetric.capacity");
  }
  if (!(options.cell >= kMinReach && options.cell <= kMaxRadius)) {
    return Error(Errc::bad_option, "symmetric.cell");
  }
  if (!(options.search_cell >= 0.25F && options.search_cell <= options.cell)) {
    return Error(Errc::bad_option, "symmetric.search_cell");
  }
  const bool rising = options.bands[0] >= 0 && options.bands[1] >= options.bands[0] &&
                      options.bands[2] >= options.bands[1] && std::isfinite(options.bands[2]);
  if (!rising) return Error(Errc::bad_option, "symmetric.bands");
  if (!not_negative(options.replace_within)) {
    return Error(Errc::bad_option, "symmetric.replace_within");
  }
  if (options.refresh == 0) return Error(Errc::bad_option, "symmetric.refresh");
  return {};
}

Result<> check_world(const WorldOptions& options) {
  const Box& box = options.bounds;
  const auto most = static_cast<float>(kMaxCoordinate);
  const auto inside = [&](float value) { return value >= -most && value <= most; };
  const bool ordered = box.min.x < box.max.x && box.min.y < box.max.y;
  if (!ordered || !inside(box.min.x) || !inside(box.max.x) || !inside(box.min.y) ||
      !inside(box.max.y)) {
    return Error(Errc::bad_option, "bounds");
  }
  if (!(options.reach >= kMinReach && options.reach <= kMaxRadius)) {
    return Error(Errc::bad_option, "reach");
  }
  if (options.backend == Backend::grid && UniformCells::count(box, options.reach) > kMaxCells) {
    return Error(Errc::too_large, "bounds: more than kMaxCells cells; use the hashed grid");
  }
  if (options.budget.max_staleness == 0 || options.budget.max_staleness > kMaxStaleness) {
    return Error(Errc::bad_option, "budget.max_staleness");
  }
  return check_symmetric(options.symmetric);
}

}  // namespace

World::Impl::Impl(const WorldOptions& chosen)
    : options(chosen),
      entity_ids_(kMaxEntities, chosen.quarantine),
      sensor_ids_(kMaxSensors, chosen.quarantine) {
  scene_.metric = chosen.metric;
  scene_.simd = chosen.simd;
  index_ = make_index(options, scene_);
  symmetric_ = std::make_unique<SymmetricLists>(scene_, options.symmetric);
  const std::size_t entities = std::min(options.expected_entities, kMaxEntities);
  const std::size_t sensors = std::min(options.expected_sensors, kMaxSensors);
  if (entities + sensors == 0) return;
  entity_ids_.reserve(entities);
  sensor_ids_.reserve(sensors);
  scene_.spots.reserve(entities + 1);
  scene_.flags.reserve(entities + 1);
  scene_.observable.reserve(entities + 1);
  scene_.first_sensor.reserve(entities + 1);
  entities_.reserve(entities + 1);
  scene_.watches.reserve(sensors + 1);
  sensors_.reserve(sensors + 1);
  index_->reserve(entities, sensors);
}

template <class Operation>
Result<> World::Impl::now_or_later(Operation operation) {
  if (!telling_) return operation();
  later_.push_back(std::move(operation));
  return {};
}

Result<> World::Impl::check(const EntityOptions& of) const {
  if (!finite(of.position)) return Errc::bad_position;
  if (!std::isfinite(of.weight)) return Error(Errc::bad_option, "weight");
  return {};
}

Result<> World::Impl::check(const SensorOptions& of) const {
  if (const auto good = check_radius(of.radius, of.leave_margin); !good) return good;
  const bool ordered = std::isfinite(of.min_height) && std::isfinite(of.max_height) &&
                       of.min_height <= of.max_height;
  if (!ordered) return Error(Errc::bad_option, "min_height, max_height");
  if (of.limit.policy != LimitPolicy::none && (of.limit.count == 0 || of.limit.count > kMaxLimit ||
                                               !(of.limit.margin >= 0) || of.limit.margin >= 1)) {
    return Error(Errc::bad_option, "limit");
  }
  if (of.period == 0 || of.period > kMaxPeriod) return Error(Errc::bad_option, "period");
  if (of.limit.policy == LimitPolicy::symmetric && (of.min_height != 0 || of.max_height != 0)) {
    return Error(Errc::bad_option, "symmetric lists know no heights");
  }
  return {};
}

Result<EntityId> World::Impl::add(const EntityOptions& of) {
  if (const auto good = check(of); !good) return good.error();
  const EntityId id{entity_ids_.allocate()};
  if (!id) return Error(Errc::too_many, "kMaxEntities");
  (void)now_or_later([this, id, of]() -> Result<> {
    do_add(id, of);
    return {};
  });
  if (recorder != nullptr) recorder->add(id, of);
  return id;
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
  return now_or_later([this, id]() -> Result<> {
    do_remove(id);
    return {};
  });
}

void World::Impl::do_remove(EntityId id) {
  const EntityIndex entity = id.index();
  while (scene_.first_sensor[entity] != kNone) {
    const SensorIndex sensor = scene_.first_sensor[entity];
    sensor_ids_.retire(sensor);
    do_remove_sensor(sensor_id(sensor));
  }
  forget_target(entity);
  symmetric_->forget(entity);
  if (entities_[entity].beacon) {
    beacons_.erase(std::lower_bound(beacons_.begin(), beacons_.end(), entity));
  }
  std::erase_if(reflagged_, [&](const Reflagged& row) { return row.entity == entity; });
  scene_.spots[entity].id = 0;
  entities_[entity] = {};
  entity_ids_.free(entity, update_);
}

Result<> World::Impl::move(EntityId id, const Position& to) {
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

void World::Impl::do_move(EntityId id, const Position& to) {
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

std::optional<FilterNumber> World::Impl::acquire(const Filter& filter) {
  const auto number = scene_.filters.acquire(filter);
  if (number) index_->refilter_all(*number);
  return number;
}

Result<SensorId> World::Impl::add_sensor(EntityId owner, const SensorOptions& of, Handler own) {
  if (const auto good = check(of); !good) return good.error();
  if (!entity_ids_.valid(owner.value)) return Errc::unknown_entity;
  if (entities_.size() <= owner.index()) entities_.resize(owner.index() + 1u);
  EntityRow& row = entities_[owner.index()];
  if (row.sensors == kMaxSensorsPerEntity) return Error(Errc::too_many, "kMaxSensorsPerEntity");
  if (of.limit.policy == LimitPolicy::symmetric && symmetric_->joined(owner.index())) {
    return Error(Errc::bad_option, "one symmetric sensor per entity");
  }
  const auto filter = acquire(of.filter);
  if (!filter) return Error(Errc::too_many, "kMaxFilters");
  const SensorId id{sensor_ids_.allocate()};
  if (!id) {
    scene_.filters.release(*filter);
    return Error(Errc::too_many, "kMaxSensors");
  }
  ++row.sensors;
  if (own) handlers_[id.value] = std::move(own);
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
  }
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
    index_->detach(sensor, saw);
  } else {
    symmetric_->leave(watch.owner);
  }
  if (row.managed) {
    saw = row.managed->told;
  } else {
    sort_indices(saw, marks_);
  }
  for (const EntityIndex target : saw) tell_end(sensor, target);
  if (row.managed) {
    for (const EntityIndex target : row.managed->forced) std::erase(forced_by_[target], sensor);
  }
  unlink(sensor);
  --entities_[watch.owner].sensors;
  scene_.filters.release(watch.filter);
  if (row.period != 1) --with_period_;
  if (handlers_.contains(id.value)) ended_handlers_.push_back(id.value);
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
  scene_.filters.release(scene_.watches[sensor].filter);
  set_watch(sensor, of, filter);
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

Result<> World::Impl::force(SensorId id, EntityId target, bool on) {
  if (!sensor_ids_.valid(id.value)) return Errc::unknown_sensor;
  if (!entity_ids_.valid(target.value)) return Errc::unknown_entity;
  if (!telling_ && lives(id)) {
    const auto& managed = sensors_[id.index()].managed;
    if (scene_.watches[id.index()].owner == target.index()) {
      return Error(Errc::bad_option, "nobody sees itself");
    }
    if (on && managed && managed->forced.size() >= kMaxForced &&
        !std::binary_search(managed->forced.begin(), managed->forced.end(), target.index())) {
      return Error(Errc::too_many, "kMaxForced");
    }
  }
  if (recorder != nullptr) recorder->force(id, target, on);
  return now_or_later([this, id, target, on] { return do_force(id, target, on); });
}

Result<> World::Impl::do_force(SensorId id, EntityId target_id, bool on) {
  if (!lives(id)) return Errc::unknown_sensor;
  if (!lives(target_id)) return Errc::unknown_entity;
  const SensorIndex sensor = id.index();
  const EntityIndex target = target_id.index();
  if (scene_.watches[sensor].owner == target) return Errc::bad_option;
  if (on) manage(sensor);
  if (!sensors_[sensor].managed) return {};
  Managed& managed = *sensors_[sensor].managed;
  const auto at = std::lower_bound(managed.forced.begin(), managed.forced.end(), target);
  const bool was = at != managed.forced.end() && *at == target;
  if (was == on) return {};
  if (on) {
    if (managed.forced.size() >= kMaxForced) return Errc::too_many;
    managed.forced.insert(at, target);
    forced_by_[target].push_back(sensor);
  } else {
    managed.forced.erase(at);
    std::erase(forced_by_[target], sensor);
    released_.push_back(target);
  }
  managed.held = true;
  decide_later(sensor);
  return {};
}

Result<> World::Impl::set_beacon(EntityId id, bool on) {
  if (!entity_ids_.valid(id.value)) return Errc::unknown_entity;
  if (!telling_ && on && !entities_[id.index()].beacon && beacons_.size() >= kMaxBeacons) {
    return Error(Errc::too_many, "kMaxBeacons");
  }
  if (recorder != nullptr) recorder->set_beacon(id, on);
  return now_or_later([this, id, on] { return do_set_beacon(id, on); });
}

Result<> World::Impl::do_set_beacon(EntityId id, bool on) {
  if (!lives(id)) return Errc::unknown_entity;
  const EntityIndex entity = id.index();
  if (entities_[entity].beacon == on) return {};
  if (on && beacons_.size() >= kMaxBeacons) return Errc::too_many;
  const auto at = std::lower_bound(beacons_.begin(), beacons_.end(), entity);
  if (on) {
    beacons_.insert(at, entity);
  } else {
    beacons_.erase(at);
    released_.push_back(entity);
  }
  entities_[entity].beacon = on;
  for (SensorIndex sensor = 0; sensor < sensors_.size(); ++sensor) {
    if (!sensors_[sensor].live || !sensors_[sensor].sees_beacons) continue;
    manage(sensor);
    sensors_[sensor].managed->held = true;
    decide_later(sensor);
  }
  return {};
}

Result<> World::Impl::set_special(EntityId a, EntityId b, bool on) {
  if (!entity_ids_.valid(a.value) || !entity_ids_.valid(b.value)) return Errc::unknown_entity;
  if (a == b) return Error(Errc::bad_option, "nobody is special to itself");
  const std::size_t most = std::min<std::size_t>(kMaxSpecial, options.symmetric.capacity - 1u);
  const auto full = [this, most, a, b] {
    return !symmetric_->special(a.index(), b.index()) &&
           (symmetric_->specials(a.index()) >= most || symmetric_->specials(b.index()) >= most);
  };
  if (!telling_ && on && full()) return Error(Errc::too_many, "kMaxSpecial");
  if (recorder != nullptr) recorder->set_special(a, b, on);
  return now_or_later([this, a, b, on, full]() -> Result<> {
    if (!lives(a) || !lives(b)) return Errc::unknown_entity;
    if (on && full()) return Errc::too_many;
    symmetric_->set_special(a.index(), b.index(), on);
    return {};
  });
}

Result<World> World::create(const WorldOptions& options) {
  if (const auto good = check_world(options); !good) return good.error();
  return World(std::make_unique<Impl>(options));
}

World::World(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
World::World(World&&) noexcept = default;
World& World::operator=(World&&) noexcept = default;
World::~World() = default;

Result<EntityId> World::add(const EntityOptions& of) {
  return impl_->add(of);
}
Result<> World::remove(EntityId entity) {
  return impl_->remove(entity);
}
Result<> World::move(EntityId entity, const Position& to) {
  return impl_->move(entity, to);
}
Result<> World::move(std::span<const Move> moves) {
  for (const Move& one : moves) {
    if (const auto moved = impl_->move(one.entity, one.to); !moved) return moved;
  }
  return {};
}
Result<> World::set_flags(EntityId entity, std::uint64_t flags) {
  return impl_->set_flags(entity, flags);
}
Result<> World::set_weight(EntityId entity, float weight) {
  return impl_->set_weight(entity, weight);
}
Result<SensorId> World::add_sensor(EntityId entity, const SensorOptions& of, Handler own) {
  return impl_->add_sensor(entity, of, std::move(own));
}
Result<> World::remove_sensor(SensorId sensor) {
  return impl_->remove_sensor(sensor);
}
Result<> World::set_radius(SensorId sensor, float radius, float leave_margin) {
  return impl_->set_radius(sensor, radius, leave_margin);
}
Result<> World::set_options(SensorId sensor, const SensorOptions& of) {
  return impl_->set_options(sensor, of);
}
Result<SensorId> World::add_trigger(const Position& at, const SensorOptions& of, Handler handler) {
  EntityOptions place;
  place.position = at;
  place.observable = false;
  const auto entity = impl_->add(place);
  if (!entity) return entity.error();
  const auto sensor = impl_->add_sensor(*entity, of, std::move(handler));
  if (!sensor) (void)impl_->remove(*entity);
  return sensor;
}
Result<> World::force(SensorId sensor, EntityId target) {
  return impl_->force(sensor, target, true);
}
Result<> World::unforce(SensorId sensor, EntityId target) {
  return impl_->force(sensor, target, false);
}
Result<> World::set_beacon(EntityId target, bool on) {
  return impl_->set_beacon(target, on);
}
Result<> World::set_special(EntityId a, EntityId b, bool on) {
  return impl_->set_special(a, b, on);
}

Result<UpdateReport> World::begin_update() {
  return impl_->begin_update();
}
void World::end_update() noexcept {
  impl_->end_update();
}
bool World::has_handlers() const {
  return impl_->has_handlers();
}
const World::Handler* World::handler_of(SensorId sensor) const {
  return impl_->handler_of(sensor);
}
Result<UpdateReport> World::update() {
  return update([](const Event&) {});
}
std::span<const Event> World::events() const {
  return impl_->events.all();
}
void World::record_to(Recorder* recorder) {
  impl_->recorder = recorder;
}

}  // namespace starbus::aoi
