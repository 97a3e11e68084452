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

void Queries::sees(SensorId id, std::vector<EntityId>& out) {
  out.clear();
  if (!tables_.lives(id)) return;
  const SensorIndex sensor = id.index();
  seen_.clear();
  if (const auto& managed = tables_.sensors[sensor].managed) {
    seen_ = managed->reported;
  } else {
    index_.in_range(sensor, seen_);
    std::sort(seen_.begin(), seen_.end());
    if (tables_.sensors[sensor].sees_beacons) pins_.add_to(sensor, seen_);
  }
  for (const EntityIndex entity : seen_) {
    if (const EntityId one = tables_.id_of(entity)) out.push_back(one);  // none: was in a list
  }
}

bool Queries::sees(SensorId id, EntityId target) const {
  if (!tables_.lives(id) || !tables_.lives(target)) return false;
  if (const auto& managed = tables_.sensors[id.index()].managed) {
    return contains_value(managed->reported, target.index());
  }
  return tables_.owner_of(id.index()) != target.index() &&
         (index_.has(id.index(), target.index()) || pins_.pins(id.index(), target.index()));
}

// Fills observing_. The backend finds plain sensors and those with the target in range; pinned and
// mutual ones are found by the target. Managed sensors are then checked against what they have
// reported.
void Queries::find_observers(EntityIndex target) {
  observing_.clear();
  index_.observers(target, observing_);
  const auto forced = pins_.forced_for(target);
  observing_.insert(observing_.end(), forced.begin(), forced.end());
  if (lists_.joined(target)) {
    for (const EntityIndex other : lists_.list(target)) {
      observing_.push_back(lists_.sensor_of(other));
    }
  }
  // Lists that have changed since the last update: the reported ones may still have the target.
  for (const EntityIndex other : lists_.changed()) {
    if (lists_.joined(other)) observing_.push_back(lists_.sensor_of(other));
  }
  if (pins_.is_or_was_pinned(target)) {
    for (SensorIndex sensor = 0; sensor < tables_.sensors.size(); ++sensor) {
      const SensorRow& row = tables_.sensors[sensor];
      if (row.managed || (row.live && pins_.pins(sensor, target))) observing_.push_back(sensor);
    }
  }
  std::sort(observing_.begin(), observing_.end());
  observing_.erase(std::unique(observing_.begin(), observing_.end()), observing_.end());
  std::erase_if(observing_, [&](SensorIndex sensor) {
    const auto& managed = tables_.sensors[sensor].managed;
    return managed && !contains_value(managed->reported, target);
  });
}

void Queries::observers(EntityId id, std::vector<SensorId>& out) {
  out.clear();
  if (!tables_.lives(id)) return;
  find_observers(id.index());
  for (const SensorIndex sensor : observing_) out.push_back(tables_.sensor_id(sensor));
}

std::uint16_t Queries::wire_index(SensorId id, EntityId target) const {
  if (!tables_.lives(id) || !tables_.lives(target)) return 0;
  const Numbering* const numbers = numberings_.find(id.index());
  return numbers != nullptr ? numbers->of(target.index()) : std::uint16_t{0};
}

void Queries::receivers(EntityId id, std::vector<Receiver>& out) {
  out.clear();
  if (!tables_.lives(id)) return;
  find_observers(id.index());
  bool sorted = true;
  for (const SensorIndex sensor : observing_) {
    const Numbering* const numbers = numberings_.find(sensor);
    const std::uint16_t index = numbers != nullptr ? numbers->of(id.index()) : std::uint16_t{0};
    if (index == 0) continue;
    sorted = sorted && (out.empty() || out.back().group <= numbers->group);
    out.push_back({tables_.sensor_id(sensor), tables_.id_of(tables_.owner_of(sensor)), index,
                   numbers->epoch, numbers->group});
  }
  if (sorted) return;
  std::sort(out.begin(), out.end(), [](const Receiver& a, const Receiver& b) {
    return a.group != b.group ? a.group < b.group : a.sensor.index() < b.sensor.index();
  });
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

Result<> Queries::find(const Region& region, const Filter& filter, std::vector<EntityId>& out) {
  out.clear();
  if (const auto good = region.check(); !good) return good;
  const Scene& scene = tables_.scene;
  visit(region.bounds(), [&](EntityIndex entity) {
    if (!filter.passes(scene.flags[entity]) || !region.contains(scene.spots[entity].at)) return;
    out.push_back(tables_.id_of(entity));
  });
  std::sort(out.begin(), out.end(), [](EntityId a, EntityId b) { return a.index() < b.index(); });
  return {};
}

// Searches circles that double until one holds enough, or all there are.
Result<> Queries::nearest(const Position& at, std::size_t k, float radius, const Filter& filter,
                          std::vector<Neighbour>& out) {
  out.clear();
  if (!(std::isfinite(at.x) && std::isfinite(at.y))) return Errc::bad_position;
  if (!(std::isfinite(radius) && radius >= 0)) return Error(Errc::bad_option, "radius");
  constexpr float kAnywhere = 4.0F * static_cast<float>(kMaxCoordinate);
  const Scene& scene = tables_.scene;
  for (float within = std::min(radius, tables_.options.reach / 4);;
       within = std::min(radius, within < kAnywhere ? within * 2 : radius)) {
    near_.clear();
    const Box box = {{at.x - within, at.y - within, 0}, {at.x + within, at.y + within, 0}};
    visit(box, [&](EntityIndex entity) {
      const Position& there = scene.spots[entity].at;
      const float squared = distance_squared(there.x - at.x, there.y - at.y);
      if (squared > within * within || !filter.passes(scene.flags[entity])) return;
      near_.push_back({squared, entity});
    });
    if (near_.size() >= k || within >= radius) break;
  }
  const std::size_t count = std::min(k, near_.size());
  std::partial_sort(near_.begin(), near_.begin() + static_cast<std::ptrdiff_t>(count), near_.end(),
                    is_nearer);
  for (std::size_t i = 0; i < count; ++i) {
    out.push_back({tables_.id_of(near_[i].entity), std::sqrt(near_[i].distance_squared)});
  }
  return {};
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
  of.group = numberings_.group(id);
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
