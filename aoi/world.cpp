#include "aoi/world.hpp"

#include <cassert>
#include <utility>

#include "aoi/check.hpp"
#include "aoi/world/impl.hpp"

namespace starbus::aoi {

Result<World> World::create(const WorldOptions& options) {
  if (const auto good = check(options); !good) return good.error();
  return World(std::make_unique<Impl>(options));
}

World::World(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

World::World(World&&) noexcept = default;

World& World::operator=(World&&) noexcept = default;

World::~World() = default;

// Removed entities are erased before anything that could show them.
World::Impl& World::settled() const {
  thread_.check();
  assert(impl_ != nullptr);
  impl_->settle();
  return *impl_;
}

Result<EntityId> World::add(const EntityOptions& options) {
  thread_.check();
  const Result<EntityId> added = impl_->entities().add(options);
  return impl_->record(added, [&](Recorder& to) { to.add(*added, options); });
}

Result<> World::add(std::span<const EntityOptions> all, std::vector<EntityId>& ids) {
  thread_.check();
  impl_->expect(all.size(), 0);
  ids.reserve(ids.size() + all.size());
  for (const EntityOptions& one : all) {
    const auto added = add(one);
    if (!added) return added.error();
    ids.push_back(*added);
  }
  return {};
}

Result<> World::remove(EntityId entity) {
  thread_.check();
  return impl_->record(impl_->entities().remove(entity), [&](Recorder& to) { to.remove(entity); });
}

// Not by record(): it would copy the result of each of ten thousand moves in a tick.
Result<> World::move(EntityId entity, Position position) {
  thread_.check();
  Result<> moved = impl_->entities().move(entity, position);
  if (Recorder* const to = impl_->recorder(); to != nullptr && moved) [[unlikely]]
    to->move(entity, position);
  return moved;
}

Result<> World::move(std::span<const Move> moves) {
  for (const Move& one : moves) {
    if (const auto moved = move(one.entity, one.to); !moved) return moved;
  }
  return {};
}

Result<> World::set_flags(EntityId entity, std::uint64_t flags) {
  Impl& impl = settled();
  return impl.record(impl.entities().set_flags(entity, flags),
                     [&](Recorder& to) { to.set_flags(entity, flags); });
}

Result<> World::set_weight(EntityId entity, float weight) {
  Impl& impl = settled();
  return impl.record(impl.entities().set_weight(entity, weight),
                     [&](Recorder& to) { to.set_weight(entity, weight); });
}

Result<SensorId> World::add_sensor(EntityId entity, const SensorOptions& options, Handler own) {
  thread_.check();
  const Result<SensorId> added = impl_->sensors().add(entity, options, std::move(own));
  return impl_->record(added, [&](Recorder& to) { to.add_sensor(*added, entity, options); });
}

Result<> World::add_sensors(std::span<const EntityId> entities, const SensorOptions& options,
                            std::vector<SensorId>& ids) {
  thread_.check();
  impl_->expect(0, entities.size());
  ids.reserve(ids.size() + entities.size());
  for (const EntityId one : entities) {
    const auto added = add_sensor(one, options);
    if (!added) return added.error();
    ids.push_back(*added);
  }
  return {};
}

Result<> World::remove_sensor(SensorId sensor) {
  Impl& impl = settled();
  return impl.record(impl.sensors().remove(sensor),
                     [&](Recorder& to) { to.remove_sensor(sensor); });
}

Result<> World::set_radius(SensorId sensor, float radius, float leave_margin) {
  Impl& impl = settled();
  return impl.record(impl.sensors().set_radius(sensor, radius, leave_margin),
                     [&](Recorder& to) { to.set_radius(sensor, radius, leave_margin); });
}

Result<> World::set_options(SensorId sensor, const SensorOptions& options) {
  Impl& impl = settled();
  return impl.record(impl.sensors().set_options(sensor, options),
                     [&](Recorder& to) { to.set_options(sensor, options); });
}

Result<SensorId> World::add_trigger(const Position& at, const SensorOptions& options,
                                    Handler handler) {
  EntityOptions place;
  place.position = at;
  place.observable = false;
  const auto entity = add(place);
  if (!entity) return entity.error();
  const auto sensor = add_sensor(*entity, options, std::move(handler));
  if (!sensor) (void)remove(*entity);
  return sensor;
}

Result<> World::force(SensorId sensor, EntityId target, bool on) {
  Impl& impl = settled();
  return impl.record(impl.pinning().force(sensor, target, on),
                     [&](Recorder& to) { to.force(sensor, target, on); });
}

Result<> World::set_beacon(EntityId target, bool on) {
  Impl& impl = settled();
  return impl.record(impl.pinning().set_beacon(target, on),
                     [&](Recorder& to) { to.set_beacon(target, on); });
}

Result<> World::set_special(EntityId a, EntityId b, bool on) {
  Impl& impl = settled();
  return impl.record(impl.pinning().set_special(a, b, on),
                     [&](Recorder& to) { to.set_special(a, b, on); });
}

Result<> World::set_epoch(EntityId entity, std::uint32_t last) {
  Impl& impl = settled();
  return impl.record(impl.set_epoch(entity, last),
                     [&](Recorder& to) { to.set_epoch(entity, last); });
}

Result<UpdateReport> World::begin_update() {
  thread_.check();
  return impl_->begin_update();
}

void World::end_update() noexcept {
  thread_.check();
  impl_->end_update();
}

bool World::has_handlers() const {
  return !impl_->handlers().empty();
}

const World::Handler* World::handler_of(SensorId sensor) const {
  return impl_->handlers().find(sensor);
}

std::span<const Event> World::events() const {
  return impl_->log().all();
}

const EventLog& World::event_log() const {
  return impl_->log();
}

Statistics World::statistics() const {
  return impl_->statistics();
}

void World::record_to(Recorder* recorder) {
  thread_.check();
  impl_->record_to(recorder);
}

Result<ObserverState> World::export_state(SensorId sensor) const {
  return settled().migration().export_state(sensor);
}

Result<ReindexBatch> World::import_state(
    SensorId sensor, const ObserverState& state,
    const std::function<EntityId(std::uint64_t key)>& resolve) {
  Impl& impl = settled();
  auto match = impl.migration().match(sensor, state, resolve);
  if (!match) return match.error();
  if (const auto done = impl.adopt(sensor, match->targets, state.epoch); !done) {
    return done.error();
  }
  for (const EntityId target : match->forced) (void)force(sensor, target);
  return std::move(match->batch);
}

Result<> World::adopt(SensorId sensor, std::span<const Adopted> targets) {
  return settled().adopt(sensor, targets, 0);
}

std::vector<EntityId> World::sees(SensorId sensor) const {
  std::vector<EntityId> found;
  sees(sensor, found);
  return found;
}

void World::sees(SensorId sensor, std::vector<EntityId>& out) const {
  settled().queries().sees(sensor, out);
}

std::vector<SensorId> World::observers(EntityId target) const {
  std::vector<SensorId> found;
  observers(target, found);
  return found;
}

void World::observers(EntityId target, std::vector<SensorId>& out) const {
  settled().queries().observers(target, out);
}

bool World::sees(SensorId sensor, EntityId target) const {
  return settled().queries().sees(sensor, target);
}

std::uint16_t World::wire_index(SensorId sensor, EntityId target) const {
  return settled().queries().wire_index(sensor, target);
}

Result<std::vector<EntityId>> World::find(const Region& region, const Filter& filter) const {
  std::vector<EntityId> found;
  if (const auto done = find(region, found, filter); !done) return done.error();
  return found;
}

Result<> World::find(const Region& region, std::vector<EntityId>& out, const Filter& filter) const {
  return settled().queries().find(region, filter, out);
}

Result<std::vector<Neighbour>> World::nearest(const Position& at, std::size_t k, float radius,
                                              const Filter& filter) const {
  std::vector<Neighbour> found;
  if (const auto done = nearest(at, k, radius, found, filter); !done) return done.error();
  return found;
}

Result<> World::nearest(const Position& at, std::size_t k, float radius,
                        std::vector<Neighbour>& out, const Filter& filter) const {
  return settled().queries().nearest(at, k, radius, filter, out);
}

std::optional<Position> World::position(EntityId entity) const {
  const Tables& tables = settled().tables();
  if (!tables.lives(entity)) return std::nullopt;
  return tables.scene.spots[entity.index()].at;
}

std::optional<EntityOptions> World::entity(EntityId entity) const {
  return settled().queries().entity(entity);
}

std::uint64_t World::key_of(EntityId entity) const {
  return impl_->queries().key_of(entity);
}

std::optional<SensorOptions> World::sensor(SensorId sensor) const {
  return settled().queries().sensor(sensor);
}

std::optional<EntityId> World::owner(SensorId sensor) const {
  return settled().queries().owner(sensor);
}

std::vector<SensorId> World::sensors_of(EntityId entity) const {
  return settled().queries().sensors_of(entity);
}

std::vector<EntityId> World::entities() const {
  return settled().queries().entities();
}

void World::receivers(EntityId target, std::vector<Receiver>& out) const {
  settled().queries().receivers(target, out);
}

std::uint32_t World::group(SensorId sensor) const {
  return settled().numberings().group(sensor);
}

std::uint32_t World::epoch(SensorId sensor) const {
  return settled().numberings().epoch(sensor);
}

const WorldOptions& World::options() const {
  return impl_->tables().options;
}

std::uint64_t World::memory() const {
  return settled().memory();
}

}  // namespace starbus::aoi
