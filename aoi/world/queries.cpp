#include "aoi/world/queries.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "aoi/measure.hpp"

namespace starbus::aoi {
namespace {

Box clamped_to_coordinates(const Box& box) {
  const auto most = static_cast<float>(kMaxCoordinate);
  const auto clamp = [&](const Position& at) {
    return Position{std::clamp(at.x, -most, most), std::clamp(at.y, -most, most), 0};
  };
  return {clamp(box.min), clamp(box.max)};
}

bool is_nearer(const Candidate& a, const Candidate& b) {
  return a.distance_squared != b.distance_squared ? a.distance_squared < b.distance_squared
                                                  : a.entity < b.entity;
}

}  // namespace

std::vector<EntityId> Queries::sees(SensorId id) const {
  if (!tables_.lives(id)) return {};
  const SensorIndex sensor = id.index();
  std::vector<EntityIndex> found;
  if (tables_.sensors[sensor].managed) {
    found = tables_.sensors[sensor].managed->reported;
  } else {
    index_.in_range(sensor, found);
    std::sort(found.begin(), found.end());
  }
  std::vector<EntityId> ids;
  ids.reserve(found.size());
  for (const EntityIndex entity : found) ids.push_back(tables_.id_of(entity));
  return ids;
}

bool Queries::sees(SensorId id, EntityId target) const {
  if (!tables_.lives(id) || !tables_.lives(target)) return false;
  if (const auto& managed = tables_.sensors[id.index()].managed) {
    return contains_value(managed->reported, target.index());
  }
  return tables_.owner_of(id.index()) != target.index() && index_.has(id.index(), target.index());
}

// The backend finds plain sensors and those with the target in range; pinned and mutual ones are
// found by the target. Managed sensors are then checked against what they have reported.
std::vector<SensorId> Queries::observers(EntityId id) const {
  if (!tables_.lives(id)) return {};
  const EntityIndex target = id.index();
  std::vector<SensorIndex> found;
  index_.observers(target, found);
  const auto forced = pins_.forced_for(target);
  found.insert(found.end(), forced.begin(), forced.end());
  if (lists_.joined(target)) {
    for (const EntityIndex other : lists_.list(target)) found.push_back(lists_.sensor_of(other));
  }
  // Lists that have changed since the last update: the reported ones may still have the target.
  for (const EntityIndex other : lists_.changed()) found.push_back(lists_.sensor_of(other));
  if (pins_.is_or_was_pinned(target)) {
    for (SensorIndex sensor = 0; sensor < tables_.sensors.size(); ++sensor) {
      if (tables_.sensors[sensor].managed) found.push_back(sensor);
    }
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  std::vector<SensorId> ids;
  for (const SensorIndex sensor : found) {
    const auto& managed = tables_.sensors[sensor].managed;
    if (managed && !contains_value(managed->reported, target)) continue;
    ids.push_back(tables_.sensor_id(sensor));
  }
  return ids;
}

std::uint16_t Queries::wire_index(SensorId id, EntityId target) const {
  if (!tables_.lives(id) || !tables_.lives(target) || !tables_.sensors[id.index()].indexed) {
    return 0;
  }
  const Managed& managed = *tables_.sensors[id.index()].managed;
  assert(managed.indices.size() == managed.reported.size());
  const auto at =
      std::lower_bound(managed.reported.begin(), managed.reported.end(), target.index());
  if (at == managed.reported.end() || *at != target.index()) return 0;
  return managed.indices[static_cast<std::size_t>(at - managed.reported.begin())];
}

template <class Visitor>
void Queries::visit(const Box& box, const Visitor& visitor) {
  index_.settle();
  const std::uint64_t before = index_.visited();
  index_.visit(clamped_to_coordinates(box), [&](EntityIndex entity) {
    ++tests_;
    visitor(entity);
  });
  ++queries_;
  visited_ += index_.visited() - before;
}

Result<std::vector<EntityId>> Queries::find(const Region& region, const Filter& filter) {
  if (const auto good = region.check(); !good) return good.error();
  const Scene& scene = tables_.scene;
  std::vector<EntityId> found;
  visit(region.bounds(), [&](EntityIndex entity) {
    if (!filter.passes(scene.flags[entity]) || !region.contains(scene.spots[entity].at)) return;
    found.push_back(tables_.id_of(entity));
  });
  std::sort(found.begin(), found.end(),
            [](EntityId a, EntityId b) { return a.index() < b.index(); });
  return found;
}

// Searches circles that double until one holds enough.
Result<std::vector<Neighbour>> Queries::nearest(const Position& at, std::size_t k, float radius,
                                                const Filter& filter) {
  if (!(std::isfinite(at.x) && std::isfinite(at.y))) return Errc::bad_position;
  if (!(std::isfinite(radius) && radius >= 0)) return Error(Errc::bad_option, "radius");
  const Scene& scene = tables_.scene;
  std::vector<Candidate> found;
  for (float within = std::min(radius, tables_.options.reach / 4);;
       within = std::min(radius, within * 2)) {
    found.clear();
    const Box box = {{at.x - within, at.y - within, 0}, {at.x + within, at.y + within, 0}};
    visit(box, [&](EntityIndex entity) {
      const Position& there = scene.spots[entity].at;
      const float squared = distance_squared(there.x - at.x, there.y - at.y);
      if (squared > within * within || !filter.passes(scene.flags[entity])) return;
      found.push_back({squared, entity});
    });
    if (found.size() >= k || within >= radius) break;
  }
  const std::size_t count = std::min(k, found.size());
  std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(count), found.end(),
                    is_nearer);
  std::vector<Neighbour> result;
  for (std::size_t i = 0; i < count; ++i) {
    result.push_back({tables_.id_of(found[i].entity), std::sqrt(found[i].distance_squared)});
  }
  return result;
}

std::optional<EntityOptions> Queries::entity(EntityId id) const {
  if (!tables_.lives(id)) return std::nullopt;
  const EntityIndex entity = id.index();
  const EntityRow& row = tables_.entities[entity];
  return EntityOptions{tables_.scene.spots[entity].at, tables_.scene.flags[entity], row.key,
                       row.weight, tables_.scene.observable[entity] != 0};
}

std::optional<SensorOptions> Queries::sensor(SensorId id) const {
  if (!tables_.lives(id)) return std::nullopt;
  const SensorRow& row = tables_.sensors[id.index()];
  const Watch& watch = tables_.scene.watches[id.index()];
  SensorOptions of;
  of.radius = watch.radius;
  of.leave_margin = watch.leave_margin;
  of.min_height = watch.min_height;
  of.max_height = watch.max_height;
  of.filter = tables_.scene.filters.at(watch.filter);
  of.limit = row.limit;
  of.sees_beacons = row.sees_beacons;
  of.indexed = row.indexed;
  of.period = row.period;
  of.priority = row.priority;
  return of;
}

std::optional<EntityId> Queries::owner(SensorId id) const {
  if (!tables_.lives(id)) return std::nullopt;
  return tables_.id_of(tables_.owner_of(id.index()));
}

std::vector<SensorId> Queries::sensors_of(EntityId id) const {
  std::vector<SensorId> ids;
  if (!tables_.lives(id)) return ids;
  tables_.each_sensor_of(id.index(),
                         [&](SensorIndex sensor) { ids.push_back(tables_.sensor_id(sensor)); });
  std::sort(ids.begin(), ids.end(), [](SensorId a, SensorId b) { return a.index() < b.index(); });
  return ids;
}

std::vector<EntityId> Queries::entities() const {
  std::vector<EntityId> ids;
  for (const Spot& spot : tables_.scene.spots) {
    if (spot.id != 0) ids.push_back(EntityId{spot.id});
  }
  return ids;
}

std::uint64_t Queries::key_of(EntityId id) const {
  const bool known = id && id.index() < tables_.scene.spots.size() &&
                     id.index() < tables_.entity_ids.size() &&
                     tables_.entity_ids.value(id.index()) == id.value;
  return known ? tables_.entities[id.index()].key : 0;
}

void Queries::add_to(Statistics& statistics) const {
  statistics.queries += queries_;
  statistics.query_tests += tests_;
  statistics.query_visited += visited_;
}

}  // namespace starbus::aoi
