#include "tests/aoi/script.hpp"

#include <algorithm>
#include <ostream>
#include <stdexcept>
#include <tuple>

namespace starbus::aoi::test {

void demand(bool condition, const char* what) {
  if (!condition) throw std::logic_error(what);
}

std::ostream& operator<<(std::ostream& out, const Step& step) {
  static constexpr const char* kNames[] = {
      "add",    "remove",  "step",  "teleport", "flags",  "weight",  "add_sensor", "remove_sensor",
      "radius", "options", "force", "unforce",  "beacon", "special", "update"};
  return out << kNames[static_cast<std::size_t>(step.what)] << "(" << step.a << ", " << step.b
             << ", " << step.c << ")";
}

rc::Gen<std::vector<Step>> scripts(const Taste& taste) {
  const auto kind = rc::gen::weightedElement<Do>({{6, Do::add},
                                                  {2, Do::remove},
                                                  {30, Do::step},
                                                  {taste.far ? 20u : 3u, Do::teleport},
                                                  {2, Do::flags},
                                                  {1, Do::weight},
                                                  {8, Do::add_sensor},
                                                  {1, Do::remove_sensor},
                                                  {2, Do::radius},
                                                  {2, Do::options},
                                                  {taste.managed ? 2u : 0u, Do::force},
                                                  {taste.managed ? 2u : 0u, Do::unforce},
                                                  {taste.managed ? 1u : 0u, Do::beacon},
                                                  {taste.symmetric ? 2u : 0u, Do::special},
                                                  {12, Do::update}});
  const auto number = rc::gen::inRange<std::uint32_t>(0, 1'000'000);
  return rc::gen::container<std::vector<Step>>(
      rc::gen::build<Step>(rc::gen::set(&Step::what, kind), rc::gen::set(&Step::a, number),
                           rc::gen::set(&Step::b, number), rc::gen::set(&Step::c, number)));
}

Player::Player(const WorldOptions& options, const Taste& taste)
    : world_(*World::create(options)), taste_(taste) {}

Position Player::place(const Step& step) const {
  const auto along = [&](std::uint32_t number) {
    const float share = static_cast<float>(number % 1009) / 1009;
    if (number % 2 == 0) return static_cast<float>(number / 2 % 41 - 5) * taste_.size / 30;
    return (share * 1.4F - 0.2F) * taste_.size;
  };
  return {along(step.b), along(step.c), static_cast<float>(step.c % 7)};
}

SensorOptions Player::options(const Step& step) const {
  static constexpr float kRadii[] = {10, 20, 3.5F, 0, 45, 120};
  SensorOptions of;
  of.radius = kRadii[step.b % 6];
  if (step.b / 6 % 3 == 0) of.leave_margin = 5;
  if (step.b / 18 % 4 == 0) of.filter = {step.c % 8, step.c / 8 % 2, step.c / 16 % 2 * 4};
  if (step.b / 72 % 4 == 0) {
    of.min_height = -2;
    of.max_height = 3;
  }
  if (!taste_.managed) return of;
  if (step.c / 32 % 3 == 0) {
    of.limit.policy = step.c / 96 % 2 == 0 ? LimitPolicy::nearest : LimitPolicy::priority;
    of.limit.count = static_cast<std::uint16_t>(1 + step.c / 192 % 4);
    of.limit.margin = step.c / 768 % 2 == 0 ? 0.1F : 0;
  }
  of.indexed = step.b / 288 % 3 == 0;
  of.sees_beacons = step.b / 864 % 4 != 0;
  if (taste_.symmetric && step.c / 1536 % 3 == 0) {
    of.limit.policy = LimitPolicy::symmetric;
    of.min_height = of.max_height = 0;
  }
  return of;
}

EntityId Player::entity(std::uint32_t number) const {
  return entities_.empty() ? EntityId{} : entities_[number % entities_.size()];
}
SensorId Player::sensor(std::uint32_t number) const {
  return sensors_.empty() ? SensorId{} : sensors_[number % sensors_.size()];
}

void Player::play(const Step& step) {
  const EntityId of = entity(step.a);
  switch (step.what) {
    case Do::add: {
      EntityOptions options;
      options.position = place(step);
      options.flags = step.a % 8;
      options.key = entities_.size() + 1;
      options.observable = step.a % 11 != 0;
      entities_.push_back(*world_.add(options));
      at_[entities_.back()] = options.position;
      if (model_ != nullptr) model_->add(entities_.back(), options);
      break;
    }
    case Do::remove:
      if (!world_.remove(of)) break;
      if (model_ != nullptr) model_->remove(of);
      std::erase(entities_, of);
      std::erase_if(sensors_, [&](SensorId s) { return owner_[s] == of; });
      break;
    case Do::step: {
      if (!of) break;
      Position at = at_[of];
      at.x += static_cast<float>(step.b % 601) / 100 - 3;
      at.y += static_cast<float>(step.c % 601) / 100 - 3;
      move(of, at);
      break;
    }
    case Do::teleport:
      if (of) move(of, place(step));
      break;
    case Do::flags:
      if (world_.set_flags(of, step.b % 8) && model_ != nullptr) model_->set_flags(of, step.b % 8);
      break;
    case Do::weight: {
      const auto weight = static_cast<float>(step.b % 3);
      if (world_.set_weight(of, weight) && model_ != nullptr) model_->set_weight(of, weight);
      break;
    }
    case Do::add_sensor: {
      const auto added = world_.add_sensor(of, options(step));
      if (!added) break;
      sensors_.push_back(*added);
      owner_[*added] = of;
      if (model_ != nullptr) model_->add_sensor(*added, of, options(step));
      break;
    }
    case Do::remove_sensor: {
      const SensorId gone = sensor(step.a);
      if (!world_.remove_sensor(gone)) break;
      std::erase(sensors_, gone);
      if (model_ != nullptr) model_->remove_sensor(gone);
      break;
    }
    case Do::radius: {
      const auto radius = static_cast<float>(step.b % 50);
      const auto margin = static_cast<float>(step.c % 5);
      const bool done = world_.set_radius(sensor(step.a), radius, margin).has_value();
      if (done && model_ != nullptr) model_->set_radius(sensor(step.a), radius, margin);
      break;
    }
    case Do::options: {
      const bool done = world_.set_options(sensor(step.a), options(step)).has_value();
      if (done && model_ != nullptr) model_->set_options(sensor(step.a), options(step));
      break;
    }
    case Do::force:
    case Do::unforce:
      force(sensor(step.a), entity(step.b), step.what == Do::force);
      break;
    case Do::beacon:
      if (!world_.set_beacon(of, step.b % 2 == 0)) break;
      step.b % 2 == 0 ? (void)beacons_.insert(of) : (void)beacons_.erase(of);
      if (model_ != nullptr) model_->set_beacon(of, step.b % 2 == 0);
      break;
    case Do::special:
      (void)world_.set_special(of, entity(step.b), step.c % 3 != 0);
      break;
    case Do::update:
      update();
      break;
  }
}

void Player::move(EntityId entity, const Position& to) {
  demand(world_.move(entity, to).has_value(), "move");
  at_[entity] = to;
  if (model_ != nullptr) model_->move(entity, to);
}

void Player::force(SensorId sensor, EntityId target, bool on) {
  if (!world_.force(sensor, target, on)) return;
  on ? (void)forced_.insert({sensor, target}) : (void)forced_.erase({sensor, target});
  if (model_ != nullptr) model_->force(sensor, target, on);
}

void Player::update() {
  last_.clear();
  const auto report = world_.update([&](const Event& event) { last_.push_back(event); });
  demand(report.has_value(), "update");
  demand(report->update == ++updates_, "its number");
  demand(report->events == last_.size(), "the number of events");
  const auto key = [](const Event& event) {
    return std::tuple(event.kind, event.sensor.index(), event.target.index());
  };
  for (std::size_t i = 1; i < last_.size(); ++i) {
    demand(key(last_[i - 1]) < key(last_[i]), "events are out of order, or one is double");
  }
  for (const Event& event : last_) {
    demand(event.observer != event.target, "somebody sees itself");
    auto& set = seen_[event.sensor];
    if (event.kind == Kind::enter) {
      demand(set.insert(event.target).second, "entered twice");
    } else {
      demand(set.erase(event.target) == 1, "left without having entered");
    }
  }
}

void Player::check() {
  std::map<EntityId, std::set<SensorId>> observers;
  for (const SensorId sensor : sensors_) {
    const auto now = world_.sees(sensor);
    const std::set<EntityId> set(now.begin(), now.end());
    demand(set == seen_[sensor], "what it sees is not what was reported");
    std::set<std::uint16_t> indices;
    const bool indexed = world_.sensor(sensor)->indexed;
    for (const EntityId target : now) {
      observers[target].insert(sensor);
      demand(world_.sees(sensor, target), "a pair is asked for in vain");
      const std::uint16_t index = world_.wire_index(sensor, target);
      demand((index != 0) == indexed, "an index without being indexed, or none");
      demand(!indexed || indices.insert(index).second, "an index twice");
    }
  }
  for (const EntityId entity : entities_) {
    const auto now = world_.observers(entity);
    demand(std::set<SensorId>(now.begin(), now.end()) == observers[entity],
           "the two directions differ");
  }
  for (const auto& [sensor, set] : seen_) {
    demand(world_.owner(sensor) || set.empty(), "a sensor is gone, what it saw not");
  }
}

void Player::check_lists() {
  const auto symmetric_of = [&](EntityId entity) {
    for (const SensorId sensor : world_.sensors_of(entity)) {
      if (world_.sensor(sensor)->limit.policy == LimitPolicy::symmetric) return sensor;
    }
    return SensorId{};
  };
  for (const EntityId one : entities_) {
    const SensorId sensor = symmetric_of(one);
    if (!sensor) continue;
    std::size_t listed = 0;
    for (const EntityId other : world_.sees(sensor)) {
      // Those are seen without being in the list.
      if (beacons_.contains(other) || forced_.contains({sensor, other})) continue;
      ++listed;
      const SensorId back = symmetric_of(other);
      demand(bool(back), "who has no list is in one");
      demand(world_.sees(back, one), "a list is not mutual");
      const Filter filter = world_.sensor(sensor)->filter;
      demand(filter.passes(world_.entity(other)->flags), "a list holds whom its filter excludes");
    }
    demand(listed <= world_.options().symmetric.capacity, "a list is too long");
  }
}

}  // namespace starbus::aoi::test
