#include "aoi/world.hpp"

#include <algorithm>

#include "aoi/check.hpp"
#include "aoi/world_impl.hpp"

namespace starbus::aoi {

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

Result<World> World::create(const WorldOptions& options) {
  if (const auto good = check(options); !good) return good.error();
  return World(std::make_unique<Impl>(options));
}

World::World(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

// What is asked or changed otherwise is not to meet those who were removed.
World::Impl& World::settled() const {
  impl_->settle();
  return *impl_;
}

World::World(World&&) noexcept = default;

World& World::operator=(World&&) noexcept = default;

World::~World() = default;

Result<EntityId> World::add(const EntityOptions& of) {
  return impl_->add(of);
}

Result<> World::remove(EntityId entity) {
  return impl_->remove(entity);
}

Result<> World::move(EntityId entity, Position to) {
  return impl_->move(entity, to);
}

Result<> World::move(std::span<const Move> moves) {
  for (const Move& one : moves) {
    if (const auto moved = impl_->move(one.entity, one.to); !moved) return moved;
  }
  return {};
}

Result<> World::set_flags(EntityId entity, std::uint64_t flags) {
  return settled().set_flags(entity, flags);
}

Result<> World::set_weight(EntityId entity, float weight) {
  return settled().set_weight(entity, weight);
}

Result<SensorId> World::add_sensor(EntityId entity, const SensorOptions& of, Handler own) {
  return impl_->add_sensor(entity, of, std::move(own));
}

Result<> World::remove_sensor(SensorId sensor) {
  return settled().remove_sensor(sensor);
}

Result<> World::set_radius(SensorId sensor, float radius, float leave_margin) {
  return settled().set_radius(sensor, radius, leave_margin);
}

Result<> World::set_options(SensorId sensor, const SensorOptions& of) {
  return settled().set_options(sensor, of);
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
  return settled().force(sensor, target, true);
}

Result<> World::unforce(SensorId sensor, EntityId target) {
  return settled().force(sensor, target, false);
}

Result<> World::set_beacon(EntityId target, bool on) {
  return settled().set_beacon(target, on);
}

Result<> World::set_special(EntityId a, EntityId b, bool on) {
  return settled().set_special(a, b, on);
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

const EventLog& World::event_log() const {
  return impl_->events;
}

void World::record_to(Recorder* recorder) {
  impl_->recorder = recorder;
}

}  // namespace starbus::aoi
