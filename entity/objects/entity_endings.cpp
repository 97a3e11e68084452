// Hooks and how they fail; spaces; the way down.
#include <cassert>
#include <exception>

#include "base/unit_guard.hpp"
#include "entity/machines/machine_group.hpp"
#include "entity/objects/entity_manager.hpp"
#include "entity/properties/root.hpp"

namespace starbus::entity {

EntityManager::~EntityManager() {
  assert(busy_ == 0);
  begin_close(EndReason::closing);
  while (settle()) {
  }
}

// --- hooks ---------------------------------------------------------------------------------------

std::string EntityManager::what_was_thrown() {
  return what_of(std::current_exception());
}

EntityError EntityManager::hook_failed(const Entity& entity, const Component* component, Hook hook,
                                       const EntityError& error) {
  const HookFailure failure{entity.label(),
                            component == nullptr ? std::string_view() : component->info_.name, hook,
                            error};
  ++counters_.failures;
  if (options_.observer != nullptr) options_.observer->failed(failure);
  return EntityError(EntityErrc::init_failed, failure.to_string());
}

// --- spaces --------------------------------------------------------------------------------------

EntityResult<> EntityManager::enter_space(Entity& entity, OnlineId space) {
  if (entity.state_ != EntityState::alive) return EntityErrc::not_alive;
  if (entity.space() != OnlineId::none) return EntityErrc::in_space;
  return enter_all(entity, space, EnterReason::entered);
}

EntityResult<> EntityManager::enter_all(Entity& entity, OnlineId space, EnterReason why) {
  const Busy busy(*this);
  entity.more().space = space;
  EntityResult<> entered;
  for (std::size_t i = 0; entered && i < entity.more().components.size(); ++i) {
    entered = enter(entity, entity.more().components[i].component, why);
  }
  if (entered) entered = enter(entity, nullptr, why);
  if (!entered && entered.error().code != EntityErrc::ended) leave(entity, LeaveReason::left);
  return entered;
}

/// At the target of a move, after its activation; unless that has chosen a space.
EntityResult<> EntityManager::enter_where_it_goes(Entity& entity) {
  const MovePlan* const plan = entity.move_plan();
  if (plan == nullptr || plan->space == OnlineId::none) return {};
  if (entity.space() != OnlineId::none) return {};
  const auto why = plan->enter_new_space ? EnterReason::arrived : EnterReason::continued;
  auto entered = enter_all(entity, plan->space, why);
  const bool lives = entity.state_ == EntityState::alive && !entity.doomed_;
  if (!entered && entered.error() == EntityErrc::ended && lives) return {};  // left it within
  return entered;
}

/// One part: a component, or the entity itself.
EntityResult<> EntityManager::enter(Entity& entity, Component* component, EnterReason why) {
  const OnlineId space = entity.space();
  auto entered = call_hook(entity, component, Hook::enter_space, [&] {
    return component != nullptr ? component->on_enter_space(space, why)
                                : entity.on_enter_space(space, why);
  });
  if (!entered) return entered;
  if (entity.space() != space) return EntityErrc::ended;  // the hook has left it again
  if (component == nullptr) entity.in_space_ = true;
  for (Entity::Attached& each : entity.more().components) {
    if (each.component == component) each.in_space = true;
  }
  if (entity.state_ != EntityState::alive || entity.doomed_) return EntityErrc::ended;
  return {};
}

bool EntityManager::leave_space(Entity& entity) {
  const bool stays =
      entity.state_ == EntityState::frozen || entity.state_ == EntityState::ghost_copy;
  if (stays || entity.space() == OnlineId::none) return false;
  const Busy busy(*this);
  leave(entity, LeaveReason::left);
  return true;
}

void EntityManager::leave(Entity& entity, LeaveReason why) {
  const OnlineId space = entity.space();
  if (space == OnlineId::none) return;
  const auto hook = [&](Part& part, const Component* component) {
    static_cast<void>(call_hook(entity, component, Hook::leave_space, [&]() -> EntityResult<> {
      part.on_leave_space(space, why);
      return {};
    }));
  };
  if (std::exchange(entity.in_space_, false)) hook(entity, nullptr);
  for (std::size_t i = entity.more().components.size(); i-- > 0;) {
    auto& each = entity.more().components[i];
    if (std::exchange(each.in_space, false)) hook(*each.component, each.component);
  }
  entity.more().space = OnlineId::none;
  // Fields that counted in that space alone get their defaults; not in an entity that ends.
  Root* const properties = entity.state_ == EntityState::alive ? entity.properties() : nullptr;
  if (properties != nullptr) static_cast<void>(properties->reset(Lifetime::space));
}

// --- ending --------------------------------------------------------------------------------------

void EntityManager::destroy(Entity& entity, EndReason reason) {
  thread_.check();
  if (entity.rising_) {  // its creation sees the flag and undoes its steps
    if (!std::exchange(entity.doomed_, true)) silence(entity);
    return;
  }
  if (entity.state_ == EntityState::ending) return;
  // The hooks of its end may write.
  if (Root* const properties = entity.properties()) properties->thaw();
  entity.state_ = EntityState::ending;
  if (options_.observer != nullptr) options_.observer->ending(entity, reason);
  const bool first = endings_.empty();
  endings_.push_back({entity.slot_, reason});
  silence(entity);
  if (first && options_.observer != nullptr) options_.observer->unsettled();
}

/// After this only hooks of it run. They may do anything but add components.
void EntityManager::silence(Entity& entity) {
  entity.close_rpc();
  if (MovingCode* const code = entity.code_if()) code->end();
  const auto end = [](Part& part) {
    part.let_go();
    MachineGroup* const machines = part.machines();
    if (machines == nullptr) return;
    machines->pause();
    std::vector<TimerOwner*> deadlines;
    machines->collect_timers(deadlines);
    for (TimerOwner* const each : deadlines) each->cancel_all();
  };
  end(entity);
  for (std::size_t i = 0; i < entity.component_count(); ++i) {
    const Entity::Attached each = entity.more().components[i];
    if (each.host != nullptr) each.host->close_rpc();
    end(*each.component);
  }
}

void EntityManager::run_component_down(Entity& entity, std::size_t place) {
  run_down_part(entity, static_cast<std::ptrdiff_t>(place), Hook::deactivate, EndReason::destroyed);
  run_down_part(entity, static_cast<std::ptrdiff_t>(place), Hook::final, EndReason::destroyed);
}

/// A component by its place, or -1 for the entity itself; nothing if it has not come so far.
void EntityManager::run_down_part(Entity& entity, std::ptrdiff_t place, Hook hook,
                                  EndReason reason) {
  Entity::Attached* const attached =
      place < 0 ? nullptr : &entity.more().components[static_cast<std::size_t>(place)];
  Entity::Stage& stage = attached == nullptr ? entity.stage_ : attached->stage;
  const bool deactivate = hook == Hook::deactivate;
  if (deactivate && stage != Entity::Stage::active) return;
  if (!deactivate && stage == Entity::Stage::constructed) return;
  stage = deactivate ? Entity::Stage::initialised : Entity::Stage::constructed;
  Component* const component = attached == nullptr ? nullptr : attached->component;
  Part& part = component == nullptr ? static_cast<Part&>(entity) : *component;
  // Of one that has moved, and of a ghost, the machines go on elsewhere.
  if (deactivate && reason != EndReason::moved && !entity.ghost_) stop_machines(entity, component);
  static_cast<void>(call_hook(entity, component, hook, [&]() -> EntityResult<> {
    deactivate ? part.on_deactivate(reason) : part.on_final(reason);
    return {};
  }));
}

/// The entity, then its components in reverse: all are deactivated before the first is final.
void EntityManager::run_down(Entity& entity, EndReason reason) {
  leave(entity, reason == EndReason::moved ? LeaveReason::moved : LeaveReason::ended);
  for (const Hook hook : {Hook::deactivate, Hook::final}) {
    run_down_part(entity, -1, hook, reason);
    for (auto i = static_cast<std::ptrdiff_t>(entity.component_count()) - 1; i >= 0; --i) {
      run_down_part(entity, i, hook, reason);
    }
  }
}

/// Undoes a failed creation: ends the initialised parts in reverse order.
EntityResult<> EntityManager::undo(Entity& entity, EntityError error) {
  entity.state_ = EntityState::ending;
  silence(entity);
  run_down(entity, EndReason::destroyed);
  ++counters_.refused;
  remove(entity);
  return error;
}

void EntityManager::take_down(Entity& entity, EndReason reason) {
  run_down(entity, reason);
  ++entity.row_->ended;
  ++counters_.ended;
  if (options_.observer != nullptr) options_.observer->finished(entity, reason);
  remove(entity);
}

void EntityManager::remove(Entity& entity) {
  silence(entity);  // a hook may have begun something
  table_.remove(entity);
  if (entity.more_if() != nullptr) {
    auto& held = entity.more();
    while (!held.components.empty()) {
      Component* const last = held.components.back().component;
      held.components.pop_back();
      held.numbers[last->info_.number] = 0;
      delete last;
    }
  }
  delete &entity;
}

bool EntityManager::settle(std::size_t most, const rpc::PassTime* time) {
  thread_.check();
  if (busy_ != 0) return !endings_.empty();
  const Busy busy(*this);
  for (std::size_t ended = 0; ended < most; ++ended) {
    if (endings_.empty() && !next_round()) return false;
    const Ending ending = endings_.front();
    endings_.pop_front();
    take_down(*table_.at(ending.slot), ending.reason);
    if (time != nullptr && time->over()) break;
  }
  return !endings_.empty() || (closing_ && size() > 0);
}

// --- closing -------------------------------------------------------------------------------------

void EntityManager::begin_close(EndReason reason) {
  thread_.check();
  if (std::exchange(closing_, true)) return;
  close_reason_ = reason;
  while (!table_.prepared().empty()) abandon_moved(table_.prepared().back());
  if (next_round() && options_.observer != nullptr) options_.observer->unsettled();
}

/// False: nothing is left to mark.
bool EntityManager::next_round() {
  if (!closing_ || size() == 0) return false;
  if (rounds_++ == kMaxCloseRounds) {
    refusing_ = true;
    const HookFailure failure{"entities", {}, Hook::final, EntityErrc::endless_close};
    ++counters_.failures;
    if (options_.observer != nullptr) options_.observer->failed(failure);
  }
  const Busy busy(*this);
  table_.walk([](const EntityRow&) { return true; }, EntityTable::Among::ghosts_too,
              [this](Entity& entity) { destroy(entity, close_reason_); });
  return !endings_.empty();
}

EntityResult<> EntityManager::close(EndReason reason) {
  if (busy_ != 0) return EntityErrc::not_alive;
  begin_close(reason);
  while (settle()) {
  }
  if (refusing_) return EntityErrc::endless_close;
  return {};
}

}  // namespace starbus::entity
