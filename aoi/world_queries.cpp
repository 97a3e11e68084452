// What a World answers without changing.
#include <algorithm>
#include <cmath>
#include <limits>

#include "aoi/measure.hpp"
#include "aoi/world_impl.hpp"

namespace starbus::aoi {
namespace {

// What is asked beyond the coordinates that exist.
Box within_coordinates(const Box& box) {
  const auto most = static_cast<float>(kMaxCoordinate);
  const auto clamp = [&](const Position& at) {
    return Position{std::clamp(at.x, -most, most), std::clamp(at.y, -most, most), 0};
  };
  return {clamp(box.min), clamp(box.max)};
}

}  // namespace

std::vector<EntityId> World::Impl::sees(SensorId id) const {
  if (!lives(id)) return {};
  const SensorIndex sensor = id.index();
  std::vector<EntityIndex> found;
  if (sensors_[sensor].managed) {
    found = sensors_[sensor].managed->told;
  } else {
    index_->in_range(sensor, found);
    std::sort(found.begin(), found.end());
  }
  std::vector<EntityId> ids;
  ids.reserve(found.size());
  for (const EntityIndex entity : found) ids.push_back(id_of(entity));
  return ids;
}

bool World::Impl::sees(SensorId id, EntityId target) const {
  if (!lives(id) || !lives(target)) return false;
  if (const auto& managed = sensors_[id.index()].managed) {
    return std::binary_search(managed->told.begin(), managed->told.end(), target.index());
  }
  return scene_.watches[id.index()].owner != target.index() &&
         index_->has(id.index(), target.index());
}

// Plain sensors and those whose target is in range are found by the backend; what is held or mutual
// is known by the target.
std::vector<SensorId> World::Impl::observers(EntityId id) const {
  if (!lives(id)) return {};
  const EntityIndex target = id.index();
  std::vector<SensorIndex> found;
  index_->observers(target, found);
  if (const auto forced = forced_by_.find(target); forced != forced_by_.end()) {
    found.insert(found.end(), forced->second.begin(), forced->second.end());
  }
  if (symmetric_->joined(target)) {
    for (const EntityIndex other : symmetric_->list(target)) {
      found.push_back(symmetric_->sensor_of(other));
    }
  }
  // What has changed since the last update was told the other way.
  for (const EntityIndex other : symmetric_->changed()) {
    found.push_back(symmetric_->sensor_of(other));
  }
  const bool held = is_or_was_held(target);
  for (SensorIndex sensor = 0; held && sensor < sensors_.size(); ++sensor) {
    if (sensors_[sensor].managed) found.push_back(sensor);
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  std::vector<SensorId> ids;
  for (const SensorIndex sensor : found) {
    const auto& managed = sensors_[sensor].managed;
    if (managed && !std::binary_search(managed->told.begin(), managed->told.end(), target)) {
      continue;
    }
    ids.push_back(sensor_id(sensor));
  }
  return ids;
}

std::uint16_t World::Impl::wire_index(SensorId id, EntityId target) const {
  if (!lives(id) || !lives(target) || !sensors_[id.index()].indexed) return 0;
  const Managed& managed = *sensors_[id.index()].managed;
  const auto at = std::lower_bound(managed.told.begin(), managed.told.end(), target.index());
  if (at == managed.told.end() || *at != target.index()) return 0;
  return managed.indices[static_cast<std::size_t>(at - managed.told.begin())];
}

void World::Impl::visit(const Box& box, const std::function<void(EntityIndex)>& visitor) const {
  index_->settle();
  const std::uint64_t before = index_->visited();
  index_->visit(within_coordinates(box), [&](EntityIndex entity) {
    ++statistics.query_tests;
    visitor(entity);
  });
  ++statistics.queries;
  statistics.query_visited += index_->visited() - before;
}

Result<std::vector<EntityId>> World::Impl::find(const Region& region, const Filter& filter) const {
  if (const auto good = region.check(); !good) return good.error();
  std::vector<EntityId> found;
  visit(region.bounds(), [&](EntityIndex entity) {
    if (!filter.passes(scene_.flags[entity]) || !region.contains(scene_.spots[entity].at)) return;
    found.push_back(id_of(entity));
  });
  std::sort(found.begin(), found.end(),
            [](EntityId a, EntityId b) { return a.index() < b.index(); });
  return found;
}

Result<std::vector<Neighbour>> World::Impl::nearest(const Position& at, std::size_t k, float radius,
                                                    const Filter& filter) const {
  if (!(std::isfinite(at.x) && std::isfinite(at.y))) return Errc::bad_position;
  if (!(std::isfinite(radius) && radius >= 0)) return Error(Errc::bad_option, "radius");
  std::vector<Candidate> found;
  const auto nearer = [](const Candidate& a, const Candidate& b) {
    return a.distance_squared != b.distance_squared ? a.distance_squared < b.distance_squared
                                                    : a.entity < b.entity;
  };
  // Circles that double until one holds enough.
  for (float within = std::min(radius, options.reach / 4);; within = std::min(radius, within * 2)) {
    found.clear();
    const Box box = {{at.x - within, at.y - within, 0}, {at.x + within, at.y + within, 0}};
    visit(box, [&](EntityIndex entity) {
      const Position& there = scene_.spots[entity].at;
      const float squared = distance_squared(there.x - at.x, there.y - at.y);
      if (squared > within * within || !filter.passes(scene_.flags[entity])) return;
      found.push_back({squared, entity});
    });
    if (found.size() >= k || within >= radius) break;
  }
  const std::size_t count = std::min(k, found.size());
  std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(count), found.end(),
                    nearer);
  std::vector<Neighbour> result;
  for (std::size_t i = 0; i < count; ++i) {
    result.push_back({id_of(found[i].entity), std::sqrt(found[i].distance_squared)});
  }
  return result;
}

std::optional<EntityOptions> World::Impl::entity(EntityId id) const {
  if (!lives(id)) return std::nullopt;
  const EntityIndex entity = id.index();
  return EntityOptions{scene_.spots[entity].at, scene_.flags[entity], entities_[entity].key,
                       entities_[entity].weight, scene_.observable[entity] != 0};
}

std::uint64_t World::Impl::key_of(EntityId id) const {
  const bool known = id && id.index() < scene_.spots.size() && id.index() < entity_ids_.size() &&
                     entity_ids_.value(id.index()) == id.value;
  return known ? entities_[id.index()].key : 0;
}

std::optional<SensorOptions> World::Impl::sensor(SensorId id) const {
  if (!lives(id)) return std::nullopt;
  const SensorRow& row = sensors_[id.index()];
  const Watch& watch = scene_.watches[id.index()];
  SensorOptions of;
  of.radius = watch.radius;
  of.leave_margin = watch.leave_margin;
  of.min_height = watch.min_height;
  of.max_height = watch.max_height;
  of.filter = scene_.filters.at(watch.filter);
  of.limit = row.limit;
  of.sees_beacons = row.sees_beacons;
  of.indexed = row.indexed;
  of.period = row.period;
  of.priority = row.priority;
  return of;
}

std::uint64_t World::Impl::memory() const {
  std::uint64_t bytes =
      index_->memory() + symmetric_->memory() + entity_ids_.memory() + sensor_ids_.memory() +
      scene_.spots.capacity() * sizeof(Spot) + scene_.flags.capacity() * 8 +
      scene_.observable.capacity() + scene_.first_sensor.capacity() * sizeof(SensorIndex) +
      scene_.watches.capacity() * sizeof(Watch) + entities_.capacity() * sizeof(EntityRow) +
      sensors_.capacity() * sizeof(SensorRow) + events.memory() + flips_.memory() +
      endings_.memory() +
      (sorted_events_.capacity() + extra_leaves_.capacity() + extra_enters_.capacity()) *
          sizeof(Event) +
      (first_entry_.capacity() + starts_.capacity() + targets_.capacity()) * sizeof(std::uint32_t) +
      (has_entry_.capacity() + leaving_.capacity() + entering_.capacity() + marks_.capacity()) *
          sizeof(std::uint64_t);
  bytes += (epochs_.size() + numberings_.size()) * 2 * sizeof(std::uint32_t);
  for (const SensorRow& row : sensors_) {
    if (!row.managed) continue;
    bytes += sizeof(Managed) + row.managed->wire.memory() +
             (row.managed->told.capacity() + row.managed->forced.capacity()) * sizeof(EntityIndex) +
             row.managed->indices.capacity() * sizeof(std::uint16_t);
  }
  return bytes;
}

Statistics World::statistics() const {
  return impl_->statistics;
}
std::vector<EntityId> World::sees(SensorId sensor) const {
  return settled().sees(sensor);
}
std::vector<SensorId> World::observers(EntityId target) const {
  return settled().observers(target);
}
bool World::sees(SensorId sensor, EntityId target) const {
  return settled().sees(sensor, target);
}
std::uint16_t World::wire_index(SensorId sensor, EntityId target) const {
  return settled().wire_index(sensor, target);
}
Result<std::vector<EntityId>> World::find(const Region& region, const Filter& filter) const {
  return settled().find(region, filter);
}
Result<std::vector<Neighbour>> World::nearest(const Position& at, std::size_t k, float radius,
                                              const Filter& filter) const {
  return settled().nearest(at, k, radius, filter);
}
bool World::contains(EntityId entity) const {
  return settled().lives(entity);
}
bool World::contains(SensorId sensor) const {
  return settled().lives(sensor);
}
std::optional<Position> World::position(EntityId entity) const {
  if (!settled().lives(entity)) return std::nullopt;
  return settled().scene_.spots[entity.index()].at;
}
std::optional<EntityOptions> World::entity(EntityId entity) const {
  return settled().entity(entity);
}
std::optional<SensorOptions> World::sensor(SensorId sensor) const {
  return settled().sensor(sensor);
}
std::uint64_t World::key_of(EntityId entity) const {
  return impl_->key_of(entity);
}
std::optional<EntityId> World::owner(SensorId sensor) const {
  if (!settled().lives(sensor)) return std::nullopt;
  return settled().id_of(settled().scene_.watches[sensor.index()].owner);
}
std::vector<SensorId> World::sensors_of(EntityId entity) const {
  std::vector<SensorId> ids;
  if (!settled().lives(entity)) return ids;
  for (SensorIndex s = settled().scene_.first_sensor[entity.index()]; s != kNone;
       s = settled().scene_.watches[s].next) {
    ids.push_back(settled().sensor_id(s));
  }
  std::sort(ids.begin(), ids.end(), [](SensorId a, SensorId b) { return a.index() < b.index(); });
  return ids;
}
std::vector<EntityId> World::entities() const {
  std::vector<EntityId> ids;
  for (const Spot& spot : settled().scene_.spots) {
    if (spot.id != 0) ids.push_back(EntityId{spot.id});
  }
  return ids;
}
const WorldOptions& World::options() const {
  return impl_->options;
}
std::uint64_t World::memory() const {
  return settled().memory();
}

}  // namespace starbus::aoi
