// Players who arrive at the spaces of a node, change from one to the other, and leave.
#include "bus/io/clock.hpp"
#include "nodes/space/node/space_host.hpp"
#include "nodes/space/registry/limits.hpp"

namespace starbus::nodes::space {

using bus::io::boot_now;
using entity::Entity;
using entity::EntityErrc;
using entity::EntityState;
using entity::OnlineId;
using Position = std::optional<aoi::Position>;

Result<> SpaceHost::arrive_at(Entity& entity, const Ticket& ticket, const Position& at) {
  if (entity.life() == EntityState::alive && entity.space() != OnlineId::none) {
    ++counters_.refused;
    return EntityErrc::in_space;
  }
  return change(entity, ticket, at);
}

/// The seat is taken before the entity leaves where it is: what can be refused is, without a trace.
Result<> SpaceHost::change(Entity& entity, const Ticket& ticket, const Position& at) {
  const auto refuse = [&](Error why) -> Result<> {
    ++counters_.refused;
    return why;
  };
  if (entity.life() != EntityState::alive) return refuse(EntityErrc::not_alive);
  const OnlineId former = entity.space();
  GameSpace* const old = find(former);
  const bool elsewhere = former != OnlineId::none && (old == nullptr || !old->has(entity));
  if (elsewhere) return refuse(EntityErrc::in_space);
  if (!hosted_) return refuse(Errc::unknown_ticket);
  const auto life = hosted_->arrive(ticket, boot_now());
  if (!life) return refuse(life.error());
  RunningSpace* const space = find_running(*life);
  if (space == nullptr || space->state() != RunningSpace::State::running) {
    hosted_->leave(*life);
    return refuse(Errc::ends);
  }
  Position was;
  bool player = false;
  Life left{};
  if (old != nullptr) {
    was = old->aoi().position(*old->aoi_id(entity));
    player = old->members_.at(entity.online_id()).player;
    left = old->life();
    old->take_out(entity, GameSpace::Way::for_now);
  }
  auto entered = space->take_in(entity, at);
  const bool lives = entity.life() == EntityState::alive && entity.space() == OnlineId::none;
  const bool back = !entered && old != nullptr && lives && old->take_in(entity, was, player);
  if (!entered) hosted_->leave(*life);
  if (player && !back) hosted_->leave(left);
  if (!entered) return refuse(entered.error());
  ++counters_.arrived;
  return {};
}

Result<> SpaceHost::claim(const Ticket& ticket) {
  if (!hosted_) return Errc::unknown_ticket;
  return hosted_->claim(ticket, kTicketHold, boot_now());
}

bool SpaceHost::leave(Entity& entity) {
  GameSpace* const space = find(entity.space());
  return space != nullptr && space->leave(entity);
}

void SpaceHost::player_left(const Life& life) {
  if (hosted_) hosted_->leave(life);
}

void SpaceHost::refuse_newcomers() {
  draining_ = true;
  if (hosted_) hosted_->drain();
  announce();
}

void SpaceHost::left_over(Entity& entity, const SpaceName& from, const SpaceType& type) {
  const bool lives = entity.life() == EntityState::alive && entity.space() == OnlineId::none;
  if (left_over_ && lives) left_over_(entity, from, type);
}

}  // namespace starbus::nodes::space
