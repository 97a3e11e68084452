#include "nodes/space/scene/scene_director.hpp"

#include <spdlog/spdlog.h>

#include <utility>

#include "nodes/space/scene/limits.hpp"

namespace starbus::nodes::space {

using entity::Entity;
using entity::OnlineId;

SceneDirector::SceneDirector(GameSpace& space, SceneGame& game, SceneData scene, std::uint64_t seed)
    : space_(space),
      game_(game),
      trap_rows_(std::move(scene.traps)),
      portals_(std::move(scene.portals)),
      flow_(std::move(scene.quests), [this](std::uint32_t id) { game_.on_quest(id); }),
      spawns_(std::move(scene.spawns), entity::RandomStream(seed, "spawns")),
      traps_(trap_rows_.size()) {}

Result<> SceneDirector::begin() {
  for (std::size_t i = 0; i < trap_rows_.size(); ++i) {
    if (auto set = watch(trap_rows_[i].at, trap_rows_[i].radius, false, i); !set) return set;
  }
  for (std::size_t i = 0; i < portals_.size(); ++i) {
    if (auto set = watch(portals_[i].at, portals_[i].radius, true, i); !set) return set;
  }
  return {};
}

/// What it notices waits for after_tick(): other sensors are to be told in the same update.
Result<> SceneDirector::watch(const aoi::Position& at, float radius, bool portal,
                              std::size_t index) {
  aoi::SensorOptions options;
  options.radius = radius;
  auto added =
      space_.aoi().add_trigger(at, options, [this, portal, index](const aoi::Event& event) {
        const OnlineId who{space_.aoi().key_of(event.target)};
        const bool inside = event.kind == aoi::Kind::enter;
        if (inside || !portal) noticed_.push_back({portal, index, who, inside});
      });
  if (!added) return added.error();
  return {};
}

// --- ticks ---------------------------------------------------------------------------------------

void SceneDirector::tick(const SpaceTick& tick) {
  now_ = tick.time;
  if (!std::exchange(begun_, true)) {
    spawns_.begin(now_);
    flow_.begin(now_);
  }
  flow_.advance(now_);
  for (std::size_t made = 0; made < kBirthsPerTick; ++made) {
    const auto birth = spawns_.next(now_);
    if (!birth) return;
    make(*birth);
  }
}

void SceneDirector::make(const SpawnTable::Birth& birth) {
  struct Failed {  // also if the game throws
    SceneDirector& at;
    const std::uint32_t row;
    bool on = true;
    ~Failed() {
      if (on) at.spawns_.failed(row, at.now_);
    }
  } failed{*this, birth.row->id};
  Entity* const entity = game_.make(*birth.row);
  if (entity == nullptr) return;
  made_.emplace(entity->online_id(), birth.row->id);
  if (const auto entered = space_.enter(*entity, birth.at); !entered) {
    made_.erase(entity->online_id());
    entity->destroy();
    return spdlog::error("spaces: {}: a {} cannot enter: {}", to_string(space_.name()),
                         birth.row->kind, entered.error().to_string());
  }
  failed.on = false;
  spawns_.born(birth.row->id);
}

void SceneDirector::after_tick() {
  for (std::size_t left = noticed_.size(); left > 0 && !noticed_.empty(); --left) {
    const Noticed noticed = noticed_.front();
    noticed_.pop_front();
    if (!noticed.portal) {
      trap_noticed(noticed);
    } else if (Entity* const player = space_.entities().find(noticed.who);
               player != nullptr && space_.is_player(*player)) {
      game_.on_portal(portals_[noticed.index], *player);
    }
  }
}

bool SceneDirector::wanted(const TrapRow& row, const Entity& entity) const {
  if (row.targets == TrapTargets::all) return true;
  return space_.is_player(entity) == (row.targets == TrapTargets::players);
}

void SceneDirector::trap_noticed(const Noticed& noticed) {
  const TrapRow& row = trap_rows_[noticed.index];
  Trap& trap = traps_[noticed.index];
  if (!noticed.inside) return leave_trap(noticed.index, noticed.who);
  Entity* const entity = space_.entities().find(noticed.who);
  if (entity == nullptr || !space_.has(*entity) || !wanted(row, *entity)) return;
  if (row.once && std::exchange(trap.used, true)) return;
  if (!trap.inside.insert(noticed.who).second) return;
  flow_.trap(row.id, true, now_);
  game_.on_trap(row, *entity, true);
}

void SceneDirector::leave_trap(std::size_t index, OnlineId who) {
  if (traps_[index].inside.erase(who) == 0) return;
  if (traps_[index].inside.empty()) flow_.trap(trap_rows_[index].id, false, now_);
  if (Entity* const entity = space_.entities().find(who)) {
    game_.on_trap(trap_rows_[index], *entity, false);
  }
}

// --- entities ------------------------------------------------------------------------------------

void SceneDirector::left(Entity& entity) {
  const OnlineId id = entity.online_id();
  if (const auto found = made_.find(id); found != made_.end()) {
    spawns_.ended(found->second, now_);
    made_.erase(found);
  }
  for (std::size_t i = 0; i < traps_.size(); ++i) leave_trap(i, id);
}

void SceneDirector::killed(Entity& entity) {
  if (const std::uint32_t row = row_of(entity); row != 0) flow_.killed(row, now_);
}

void SceneDirector::end() {
  spawns_.stop();
  flow_.stop();
}

std::uint32_t SceneDirector::row_of(const Entity& entity) const {
  const auto found = made_.find(entity.online_id());
  return found == made_.end() ? 0 : found->second;
}

std::size_t SceneDirector::inside(std::uint32_t trap) const {
  const TrapRow* const found = find_row(trap_rows_, trap);
  if (found == nullptr) return 0;
  return traps_[static_cast<std::size_t>(found - trap_rows_.data())].inside.size();
}

}  // namespace starbus::nodes::space
