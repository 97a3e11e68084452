#include "tests/aoi/model.hpp"

#include <algorithm>
#include <tuple>

namespace starbus::aoi::test {

void Model::add(EntityId id, const EntityOptions& of) {
  entities_[id] = {of, of.flags, false};
}

// Leaves of both directions, which come with the next update.
void Model::remove(EntityId id) {
  std::vector<SensorId> own;
  for (auto& [sensor, state] : sensors_) {
    if (state.owner == id) own.push_back(sensor);
    if (state.shown.erase(id) != 0) report(sensor, state, id, Kind::leave, Reason::removed);
    state.in_range.erase(id);
    state.forced.erase(id);
  }
  for (const SensorId sensor : own) remove_sensor(sensor);
  entities_.erase(id);
}

void Model::add_sensor(SensorId id, EntityId owner, const SensorOptions& of) {
  sensors_[id].owner = owner;
  sensors_[id].of = of;
}

void Model::remove_sensor(SensorId id) {
  const Sensor& sensor = sensors_.at(id);
  for (const EntityId target : sensor.shown) {
    report(id, sensor, target, Kind::leave, Reason::removed);
  }
  sensors_.erase(id);
}

void Model::set_radius(SensorId id, float radius, float leave_margin) {
  sensors_.at(id).of.radius = radius;
  sensors_.at(id).of.leave_margin = leave_margin;
}

void Model::force(SensorId id, EntityId target, bool on) {
  Set& forced = sensors_.at(id).forced;
  on ? (void)forced.insert(target) : (void)forced.erase(target);
}

void Model::report(SensorId id, const Sensor& sensor, EntityId target, Kind kind, Reason reason) {
  events_.push_back({id, sensor.owner, target, kind, reason, 0});
}

std::vector<Event> Model::update() {
  for (auto& [id, sensor] : sensors_) evaluate(id, sensor);
  for (auto& [id, entity] : entities_) entity.flags_before = entity.of.flags;
  std::vector<Event> events;
  events.swap(events_);
  std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
    return std::tuple(a.kind, a.sensor.index(), a.target.index()) <
           std::tuple(b.kind, b.sensor.index(), b.target.index());
  });
  return events;
}

bool Model::in_range(const Sensor& sensor, EntityId target) const {
  const SensorOptions& of = sensor.of;
  const Entity& entity = entities_.at(target);
  if (target == sensor.owner || !entity.of.observable) return false;
  if (!of.filter.passes(entity.of.flags)) return false;
  const Position& from = entities_.at(sensor.owner).of.position;
  const Position& to = entity.of.position;
  const float dz = to.z - from.z;
  const bool any_height = of.min_height == 0 && of.max_height == 0;
  if (!any_height && (dz < of.min_height || dz > of.max_height)) return false;
  const float reach = of.radius + (sensor.in_range.contains(target) ? of.leave_margin : 0);
  const float dx = to.x - from.x;
  const float dy = to.y - from.y;
  return dx * dx + dy * dy <= reach * reach;
}

bool Model::pinned(const Sensor& sensor, EntityId target) const {
  if (sensor.forced.contains(target)) return true;
  const Entity& entity = entities_.at(target);
  return entity.beacon && sensor.of.sees_beacons && target != sensor.owner &&
         sensor.of.filter.passes(entity.of.flags);
}

bool Model::Ranked::operator<(const Ranked& other) const {
  return std::tuple(-weight, squared, entity.index()) <
         std::tuple(-other.weight, other.squared, other.entity.index());
}

Model::Ranked Model::rank(const Sensor& sensor, EntityId target) const {
  const Position& from = entities_.at(sensor.owner).of.position;
  const EntityOptions& to = entities_.at(target).of;
  const float dx = to.position.x - from.x;
  const float dy = to.position.y - from.y;
  const bool weighs = sensor.of.limit.policy == LimitPolicy::priority;
  return {weighs ? to.weight : 0, dx * dx + dy * dy, target};
}

// Targets that are shown keep their places; free places go to the best others; then the best of
// these takes the place of the worst, as long as it may.
Model::Set Model::choose(const Sensor& sensor, const Set& candidates) const {
  const Limit& limit = sensor.of.limit;
  if (limit.policy == LimitPolicy::none) return candidates;
  std::set<Ranked> placed;
  std::set<Ranked> others;
  for (const EntityId target : candidates) {
    (sensor.shown.contains(target) ? placed : others).insert(rank(sensor, target));
  }
  while (placed.size() > limit.count) placed.erase(std::prev(placed.end()));
  while (placed.size() < limit.count && !others.empty()) {
    placed.insert(others.extract(others.begin()));
  }
  while (!others.empty() && !placed.empty()) {
    const Ranked best = *others.begin();
    const Ranked worst = *std::prev(placed.end());
    const float share = 1 - limit.margin;
    const bool may = best.weight != worst.weight || limit.margin == 0
                         ? best < worst
                         : best.squared < share * share * worst.squared;
    if (!may) break;
    placed.erase(worst);
    placed.insert(best);
    others.erase(best);
  }
  Set chosen;
  for (const Ranked& one : placed) chosen.insert(one.entity);
  return chosen;
}

void Model::evaluate(SensorId id, Sensor& sensor) {
  Set now;
  Set candidates;
  Set pinned_targets;
  for (const auto& [target, entity] : entities_) {
    const bool is = in_range(sensor, target);
    if (is) now.insert(target);
    if (pinned(sensor, target)) {
      pinned_targets.insert(target);
    } else if (is) {
      candidates.insert(target);
    }
  }
  Set shown = choose(sensor, candidates);
  shown.insert(pinned_targets.begin(), pinned_targets.end());
  const Set before = std::exchange(sensor.in_range, now);
  for (const EntityId target : sensor.shown) {
    if (shown.contains(target)) continue;
    report(id, sensor, target, Kind::leave, why_left(sensor, before, target));
  }
  for (const EntityId target : shown) {
    if (sensor.shown.contains(target)) continue;
    report(id, sensor, target, Kind::enter, why_entered(sensor, before, target));
  }
  sensor.shown = shown;
}

Reason Model::why_left(const Sensor& sensor, const Set& before, EntityId target) const {
  if (sensor.in_range.contains(target)) return Reason::limit;
  if (!before.contains(target)) return Reason::forced;
  return sensor.of.filter.passes(entities_.at(target).of.flags) ? Reason::geometry : Reason::filter;
}

Reason Model::why_entered(const Sensor& sensor, const Set& before, EntityId target) const {
  if (pinned(sensor, target)) return Reason::forced;
  if (before.contains(target)) return Reason::limit;
  return sensor.of.filter.passes(entities_.at(target).flags_before) ? Reason::geometry
                                                                    : Reason::filter;
}

}  // namespace starbus::aoi::test
