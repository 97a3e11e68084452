#include "aoi/world/operations/entity_operations.hpp"

#include <cassert>
#include <cmath>

#include "aoi/arrays/prefetch.hpp"

namespace starbus::aoi {

Result<EntityId> EntityOperations::add(const EntityOptions& of) {
  if (const auto good = check(of); !good) return good.error();
  const EntityId id{tables_.entity_ids.allocate()};
  if (!id) return Error(Errc::too_many, "kMaxEntities");
  fetch_upcoming();
  if (deferred_.active() && !of.observable) deferred_.expect_hidden(id);
  (void)deferred_.run([this, id, of]() -> Result<> {
    do_add(id, of);
    return {};
  });
  return id;
}

// Indices are used again in the order in which they were freed, and so lie anywhere in the tables.
void EntityOperations::fetch_upcoming() const {
  constexpr std::size_t kAhead = 2;
  const Scene& scene = tables_.scene;
  if (const std::uint32_t entity = tables_.entity_ids.upcoming(kAhead); entity != 0) {
    prefetch_line_to_write(&scene.spots[entity]);
    prefetch_line_to_write(&scene.flags[entity]);
    prefetch_line_to_write(&scene.first_sensor[entity]);
    prefetch_line_to_write(&tables_.entities[entity]);
    index_.fetch(entity, 0);
  }
  if (const std::uint32_t sensor = tables_.sensor_ids.upcoming(kAhead); sensor != 0) {
    prefetch_line_to_write(&scene.watches[sensor]);
    prefetch_line_to_write(&tables_.sensors[sensor]);
  }
}

void EntityOperations::do_add(EntityId id, const EntityOptions& of) {
  const EntityIndex entity = id.index();
  tables_.fit_entity(entity);
  assert(tables_.scene.spots[entity].id == 0);
  tables_.scene.spots[entity] = {clamped(of.position), id.value};
  tables_.scene.flags[entity] = of.flags;
  tables_.scene.observable[entity] = of.observable ? 1 : 0;
  tables_.scene.first_sensor[entity] = kNone;
  EntityRow& row = tables_.entities[entity];
  const std::uint16_t sensors = row.sensors;  // a handler may have added some already
  row = {};
  row.key = of.key;
  row.weight = of.weight;
  row.sensors = sensors;
  index_.insert(entity);
}

Result<> EntityOperations::remove(EntityId id) {
  if (!tables_.entity_ids.valid(id.value)) return Errc::unknown_entity;
  const EntityIndex entity = id.index();
  tables_.entity_ids.retire(entity);
  if (entity < tables_.scene.first_sensor.size()) {
    tables_.each_sensor_of(entity, [&](SensorIndex s) { tables_.sensor_ids.retire(s); });
  }
  if (!deferred_.active()) {
    removals_.add(entity);
    return {};
  }
  return deferred_.run([this, entity]() -> Result<> {
    removals_.add(entity);
    removals_.settle();  // the next operation may name it
    return {};
  });
}

Result<> EntityOperations::move_later(EntityId id, Position to) {
  return deferred_.run([this, id, to]() -> Result<> {
    if (!tables_.lives(id)) return Errc::unknown_entity;
    do_move(id.index(), clamped(to));
    return {};
  });
}

Result<> EntityOperations::set_flags(EntityId id, std::uint64_t flags) {
  if (!tables_.entity_ids.valid(id.value)) return Errc::unknown_entity;
  return deferred_.run([this, id, flags]() -> Result<> {
    if (!tables_.lives(id)) return Errc::unknown_entity;
    do_set_flags(id.index(), flags);
    return {};
  });
}

void EntityOperations::do_set_flags(EntityIndex entity, std::uint64_t flags) {
  if (tables_.scene.flags[entity] == flags) return;
  if (tables_.entities[entity].beacon) interest_.manage_for_beacons();
  flags_.note(entity);
  tables_.scene.flags[entity] = flags;
  index_.refilter(entity);
  lists_.recheck(entity);
}

Result<> EntityOperations::set_weight(EntityId id, float weight) {
  if (!std::isfinite(weight)) return Error(Errc::bad_option, "weight");
  if (!tables_.entity_ids.valid(id.value)) return Errc::unknown_entity;
  return deferred_.run([this, id, weight]() -> Result<> {
    if (!tables_.lives(id)) return Errc::unknown_entity;
    tables_.entities[id.index()].weight = weight;
    std::vector<SensorIndex> around;
    index_.observers(id.index(), around);
    for (const SensorIndex sensor : around) interest_.decide_later(sensor);
    return {};
  });
}

}  // namespace starbus::aoi
