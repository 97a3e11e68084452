#include "nodes/space/node/space.hpp"

#include <spdlog/spdlog.h>

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

}  // namespace

GameSpace::GameSpace(SpaceInit init)
    : home_(init.home),
      name_(std::move(init.name)),
      life_(init.life),
      type_(std::move(init.type)),
      id_(init.id),
      aoi_(std::move(init.aoi)) {}

/// Its derived class has gone by now, so no hook runs.
GameSpace::~GameSpace() {
  for (const auto& [id, member] : members_) {
    if (auto* const resident = member.entity->component<Resident>()) resident->left(this);
  }
}

void GameSpace::on_start(const std::string&, Done done) {
  done({});
}
void GameSpace::on_warn(std::chrono::milliseconds) {}
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
  const auto placed = aoi_.add({.position = position, .key = key_of(entity)});
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

void GameSpace::run_tick(const SpaceTick& tick) {
  attempt("on_before_tick", [&] { on_before_tick(tick); });
  attempt("on_tick", [&] { on_tick(tick); });
  attempt("aoi", [&] {
    if (const auto updated = aoi_.update(); !updated) {
      spdlog::error("spaces: {}: its area of interest is as it was: {}", to_string(name_),
                    updated.error().to_string());
    }
  });
  attempt("on_after_tick", [&] { on_after_tick(tick); });
}

}  // namespace starbus::nodes::space
