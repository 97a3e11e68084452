#include "nodes/space/node/space.hpp"

#include <spdlog/spdlog.h>

#include <cmath>
#include <exception>
#include <utility>

#include "base/unit_guard.hpp"
#include "nodes/space/node/resident.hpp"

namespace starbus::nodes::space {
namespace {

using entity::Entity;
using entity::EntityState;

std::uint64_t key_of(const Entity& entity) {
  return static_cast<std::uint64_t>(entity.online_id());
}

/// A type without heights says nothing of them.
movement::MoveRules rules_of(const SpaceType& type) {
  movement::MoveRules rules;
  rules.min = {type.min[0], type.min[1], type.min[2]};
  rules.max = {type.max[0], type.max[1], type.max[2]};
  if (type.min[2] == type.max[2]) {
    rules.max.z = static_cast<float>(aoi::kMaxCoordinate);
    rules.min.z = -rules.max.z;
  }
  return rules;
}

/// The middle, in whole metres.
sight::SpaceFacts facts_of(const SpaceName& name, const SpaceType& type) {
  const auto middle = [&](std::size_t axis) {
    return static_cast<std::int32_t>(
        std::lround((static_cast<double>(type.min[axis]) + type.max[axis]) / 2));
  };
  const auto tick = std::chrono::duration_cast<std::chrono::milliseconds>(type.tick());
  return {.name = to_string(name),
          .grid = {middle(0), middle(1), middle(2)},
          .tick_ms = static_cast<std::uint32_t>(tick.count())};
}

}  // namespace

GameSpace::GameSpace(SpaceInit init)
    : home_(init.home),
      name_(std::move(init.name)),
      life_(init.life),
      type_(std::move(init.type)),
      id_(init.id),
      aoi_(std::move(init.aoi)),
      move_rules_(rules_of(type_)),
      sight_(aoi_, move_rules_, facts_of(name_, type_)) {}

/// Its derived class has gone by now, so no hook runs.
GameSpace::~GameSpace() {
  parts_.clear();
  for (const auto& [id, member] : members_) {
    if (auto* const resident = member.entity->component<Resident>()) resident->left(this);
    sight_.leave(*member.entity, member.aoi);
  }
}

void GameSpace::on_start(const std::string&, Done done) {
  done({});
}
void GameSpace::on_warn(std::chrono::milliseconds) {}
sight::WatchOptions GameSpace::watch_options(const entity::Entity&) {
  return {.sensor = {.radius = type_.sight, .leave_margin = type_.leave_margin}};
}
void GameSpace::on_end(Done done) {
  done({});
}

/// By type and hook: there may be a thousand spaces, and one line of the log for all.
void GameSpace::threw(std::string_view hook, std::string* why) const {
  const std::string text = what_of(std::current_exception());
  const std::string place = type_.name + ", " + std::string(hook);
  if (why != nullptr) *why = text;
  if (UnitGuard::active()) return UnitGuard::caught(UnitKind::hook, place);
  spdlog::error("spaces: {}, {} threw: {}", to_string(name_), hook, text);
}

// --- members -------------------------------------------------------------------------------------

bool GameSpace::is_player(const Entity& entity) const {
  const auto found = members_.find(entity.online_id());
  return found != members_.end() && found->second.player;
}

bool GameSpace::has(const Entity& entity) const {
  return members_.contains(entity.online_id());
}

std::optional<aoi::EntityId> GameSpace::aoi_id(const Entity& entity) const {
  const auto found = members_.find(entity.online_id());
  if (found == members_.end()) return std::nullopt;
  return found->second.aoi;
}

Result<> GameSpace::enter(Entity& entity, const aoi::Position& at) {
  return take_in(entity, at, false);
}

aoi::Position GameSpace::entrance(const Entity&) const {
  const auto middle = [&](std::size_t axis) {
    return type_.min[axis] + (type_.max[axis] - type_.min[axis]) / 2;
  };
  return {middle(0), middle(1), type_.min[2]};
}

/// In one step: it is indexed and has its place before any hook, and nothing of that stays if a
/// hook refuses.
Result<> GameSpace::take_in(Entity& entity, const std::optional<aoi::Position>& at, bool player) {
  if (closed_) return Errc::ends;
  if (entity.life() != EntityState::alive) return entity::EntityErrc::not_alive;
  if (entity.space() != entity::OnlineId::none) return entity::EntityErrc::in_space;
  Resident* resident = entity.component<Resident>();
  if (resident == nullptr) {
    const auto added = entity.add_component<Resident>();
    if (!added) return Error(added.error());
    resident = *added;
  }
  aoi::Position position = at.value_or(aoi::Position{});
  if (!at) attempt("entrance", [&] { position = entrance(entity); });
  const auto placed = give_place(entity, position, player);
  if (!placed) return placed.error();
  const entity::OnlineId id = entity.online_id();
  members_[id] = {&entity, *placed, player, true};
  if (player) ++players_;
  const auto entered = entities().enter_space(entity, id_);
  if (!entered) {
    forget(id);
    return Error(entered.error());
  }
  members_.at(id).between = false;
  resident->enters(*this);
  attempt("on_enter", [&] { on_enter(entity); });
  return {};
}

/// In the world, and in what others see.
Result<aoi::EntityId> GameSpace::give_place(Entity& entity, const aoi::Position& at, bool player) {
  std::optional<sight::WatchOptions> how;
  if (player && !attempt("watch_options", [&] { how = watch_options(entity); })) how.emplace();
  const auto placed = aoi_.add({.position = at, .key = key_of(entity)});
  if (!placed) return placed.error();
  if (const auto seen = sight_.enter(entity, *placed, at, how ? &*how : nullptr); !seen) {
    [[maybe_unused]] const auto removed = aoi_.remove(*placed);
    return seen.error();
  }
  for (const auto& part : parts_) {
    attempt("a part", [&] { part->enters(entity); });
  }
  return *placed;
}

bool GameSpace::leave(Entity& entity) {
  if (entity.life() == EntityState::frozen) return false;
  return take_out(entity, Way::by_us);
}

/// The hooks of an entity that ends are its manager's, and come later; those of a frozen one when
/// it has moved.
bool GameSpace::take_out(Entity& entity, Way way) {
  const auto found = members_.find(entity.online_id());
  if (found == members_.end() || std::exchange(found->second.between, true)) return false;
  const bool player = found->second.player;
  const entity::OnlineId id = found->first;
  attempt("on_leave", [&] { on_leave(entity); });
  const bool frozen = entity.life() == EntityState::frozen;
  if (auto* const resident = entity.component<Resident>()) {
    resident->left(frozen ? this : nullptr, player);
  }
  const bool stays = way != Way::with_its_entity && entity.life() == EntityState::alive;
  if (stays) entities().leave_space(entity);
  forget(id);
  if (player && way != Way::for_now) home_.player_left(life_);
  return true;
}

void GameSpace::forget(entity::OnlineId id) {
  const auto found = members_.find(id);
  if (found->second.player) --players_;
  for (const auto& part : parts_) {
    attempt("a part", [&] { part->leaves(*found->second.entity); });
  }
  sight_.leave(*found->second.entity, found->second.aoi);
  [[maybe_unused]] const auto removed = aoi_.remove(found->second.aoi);
  members_.erase(found);
}

bool GameSpace::clear(std::size_t most, bool hand_over) {
  for (std::size_t done = 0; done < most && !members_.empty(); ++done) {
    const auto first = members_.begin();
    Entity& entity = *first->second.entity;
    const bool player = first->second.player;
    const bool moves = entity.life() == EntityState::frozen;
    if (!take_out(entity, Way::by_us)) return false;  // called within a hook of that one
    if (moves) continue;
    if (!player) {
      entity.destroy();
    } else if (hand_over) {
      attempt("on_member_left", [&] { on_member_left(entity); });
      home_.left_over(entity, name_, type_);
    }
  }
  return !members_.empty();
}

// --- ticks ---------------------------------------------------------------------------------------

void GameSpace::add_parts(const std::vector<MakeSpacePart>& makers) {
  for (const MakeSpacePart& make : makers) {
    if (auto part = make(*this)) parts_.push_back(std::move(part));
  }
}

void GameSpace::start_parts(std::size_t from, const Done& done) {
  if (from == parts_.size()) return done({});
  parts_[from]->start(
      [this, from, done, weak = std::weak_ptr(alive_)](const bus::Result<>& started) {
        if (weak.expired()) return;
        if (!started) return done(started.error());
        start_parts(from + 1, done);
      });
}

void GameSpace::run_tick(const SpaceTick& tick) {
  for (const auto& part : parts_) {
    attempt("a part", [&] { part->tick(tick); });
  }
  attempt("on_before_tick", [&] { on_before_tick(tick); });
  attempt("on_tick", [&] { on_tick(tick); });
  attempt("aoi", [&] { update_aoi(); });
  attempt("on_after_tick", [&] { on_after_tick(tick); });
  attempt("sight", [&] { sight_.tell(tick.number); });
}

void GameSpace::update_aoi() {
  if (const auto updated = sight_.update(); !updated) {
    spdlog::error("spaces: {}: its area of interest is as it was: {}", to_string(name_),
                  updated.error().to_string());
  }
}

}  // namespace starbus::nodes::space
