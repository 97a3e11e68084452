#include "nodes/space/sight/space_sight.hpp"

#include <algorithm>
#include <utility>

#include "nodes/space/sight/mover.hpp"
#include "nodes/space/sight/now.hpp"

namespace starbus::nodes::sight {
namespace {

/// A view has room for those that are in sight, and for as many that are still to leave.
aoi::SensorOptions bounded(aoi::SensorOptions options) {
  if (options.limit.policy == aoi::LimitPolicy::none) {
    options.limit = {.policy = aoi::LimitPolicy::nearest, .count = kDefaultView};
  }
  constexpr auto kMost = static_cast<std::uint16_t>(kMostSeen / 2);
  options.limit.count = std::min(options.limit.count, kMost);
  return options;
}

}  // namespace

// --- who is there --------------------------------------------------------------------------------

SightResult<> SpaceSight::enter(entity::Entity& entity, aoi::EntityId id,
                                const movement::Position& at, const WatchOptions* how) {
  Watcher* const watcher = how == nullptr ? nullptr : entity.component<Watcher>();
  Mover* const mover = entity.component<Mover>();
  Resident resident{
      .id = id,
      .subject = std::make_shared<Subject>(static_cast<std::uint64_t>(entity.online_id()),
                                           entity.type().name(), entity.properties()),
      .sensor = {}};
  if (mover != nullptr) {
    const movement::MoveRules* const rules = watcher == nullptr ? nullptr : &rules_;
    if (auto entered = mover->enters(*this, id, resident.subject, at, rules); !entered) {
      return entered;
    }
  }
  if (watcher != nullptr) {
    if (auto watches = watch(*watcher, resident, *how); !watches) {
      if (mover != nullptr) mover->leaves();
      return watches;
    }
  }
  residents_.emplace(id.value, std::move(resident));
  return {};
}

SightResult<> SpaceSight::watch(Watcher& watcher, Resident& resident, const WatchOptions& how) {
  const auto sensor = world_.add_sensor(resident.id, bounded(how.sensor));
  if (!sensor) return sensor.error();
  if (auto entered = watcher.enters(*this, resident.id, *sensor, how); !entered) {
    [[maybe_unused]] const auto removed = world_.remove_sensor(*sensor);
    return entered;
  }
  resident.sensor = *sensor;
  watchers_.emplace(sensor->value, &watcher);
  return {};
}

void SpaceSight::leave(entity::Entity& entity, aoi::EntityId id) {
  const auto found = residents_.find(id.value);
  if (found == residents_.end()) return;
  const Resident resident = std::move(found->second);
  residents_.erase(found);
  resident.subject->retire();
  if (auto* const mover = entity.component<Mover>(); mover != nullptr) mover->leaves();
  if (!resident.sensor) return;
  watchers_.erase(resident.sensor.value);
  entity.component<Watcher>()->leaves();
}

// --- what is in sight ----------------------------------------------------------------------------

Result<aoi::UpdateReport> SpaceSight::update() {
  return world_.update([this](const aoi::Event& event) { saw(event); });
}

/// Of sensors that are not those of watchers, and of targets that are no residents, the game hears.
void SpaceSight::saw(const aoi::Event& event) {
  const auto found = watchers_.find(event.sensor.value);
  if (found == watchers_.end()) return;
  if (event.kind == aoi::Kind::leave) return found->second->went_out_of_sight(event.target);
  if (auto subject = subject_of(event.target)) {
    found->second->came_in_sight(event.target, std::move(subject));
  }
}

std::shared_ptr<Subject> SpaceSight::subject_of(aoi::EntityId id) const {
  const auto found = residents_.find(id.value);
  return found == residents_.end() ? nullptr : found->second.subject;
}

void SpaceSight::show_again(Watcher& watcher) {
  for (const aoi::EntityId target : world_.sees(watcher.sensor_)) {
    if (watcher.view_.knows(target)) continue;
    if (auto subject = subject_of(target)) watcher.came_in_sight(target, std::move(subject));
  }
}

void SpaceSight::moved(aoi::EntityId id, const movement::Position& to) {
  [[maybe_unused]] const auto moved = world_.move(id, to);  // it is there, and `to` was checked
}

movement::Position SpaceSight::place_of(aoi::EntityId id) const {
  return world_.position(id).value_or(movement::Position{});
}

// --- ticks ---------------------------------------------------------------------------------------

/// What is said may end a session, whose hooks may do anything: so each watcher is looked up.
void SpaceSight::tell(std::uint64_t tick) {
  store_.begin(tick, static_cast<std::uint32_t>(now_ms()));
  for (const auto& [id, resident] : residents_) resident.subject->refresh(store_);
  turn_.clear();
  for (const auto& [sensor, watcher] : watchers_) turn_.push_back(sensor);
  for (const std::uint32_t sensor : turn_) {
    if (const auto found = watchers_.find(sensor); found != watchers_.end()) found->second->tell();
  }
}

}  // namespace starbus::nodes::sight
