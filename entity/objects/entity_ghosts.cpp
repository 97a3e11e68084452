// Copies of entities that live in other processes, and how they become the entity, and a copy
// again.
#include "entity/machines/machine_group.hpp"
#include "entity/objects/entity_manager.hpp"
#include "entity/properties/evolution.hpp"
#include "entity/properties/root.hpp"

namespace starbus::entity {

EntityResult<> EntityManager::become_ghost(Entity& entity) {
  thread_.check();
  if (entity.state_ != EntityState::frozen) return EntityErrc::not_alive;
  const Busy busy(*this);
  stand_as_ghost(entity);
  const auto tell = [&](Part& part, const Component* component) {
    static_cast<void>(call_hook(entity, component, Hook::become_ghost, [&]() -> EntityResult<> {
      part.on_become_ghost();
      return {};
    }));
  };
  tell(entity, nullptr);
  for (std::size_t i = entity.component_count(); i-- > 0;) {
    Component* const component = entity.more().components[i].component;
    tell(*component, component);
  }
  return {};
}

/// Everything of it ends but its parts and its place in a space, and stands still.
void EntityManager::stand_as_ghost(Entity& entity) {
  entity.ghost_ = true;
  entity.arriving_ = entity.rising_ = false;
  entity.state_ = EntityState::ghost_copy;
  entity.more().plan.reset();
  silence(entity);
  for (const Entity::Attached& each : entity.more().components) {
    if (each.host != nullptr) static_cast<void>(entity.attach(*each.host));
  }
  hold_still(entity, false);
  if (Root* const properties = entity.properties()) properties->become_replica(Audience::ghost);
  if (std::exchange(entity.doomed_, false)) destroy(entity);
}

/// As raise() does for a new object: what arrives is read before it is owned here.
EntityResult<OnlineId> EntityManager::take_place(Entity& copy, const MovedState& moved) {
  if (copy.type().name() != moved.type || copy.persistent_id() != moved.persistent_id) {
    ++counters_.refused;
    return EntityError(EntityErrc::duplicate_id, copy.label());
  }
  const Busy busy(*this);
  copy.state_ = EntityState::initialising;
  copy.arriving_ = copy.rising_ = true;
  copy.start_reason_ = StartReason::arrived;
  copy.more().plan = moved.plan();
  hold_still(copy, true);
  if (Root* const properties = copy.properties()) {
    properties->become_real();
    static_cast<void>(properties->reset(Lifetime::process));  // they do not travel
  }
  LoadReport converted;
  auto taken = take_properties(copy, moved, &converted);
  if (taken) taken = take_code(copy, moved);
  if (taken) taken = unpack_machines(copy, moved);
  if (taken) taken = arrive(copy, moved);
  if (taken && closing_) taken = EntityErrc::closed;
  if (!taken) {
    ++counters_.refused;
    stand_as_ghost(copy);
    return taken.error();
  }
  if (moved.form == MovedForm::by_name && options_.observer != nullptr) {
    options_.observer->converted(copy, converted);
  }
  table_.add_prepared(copy.online_);
  return copy.online_;
}

/// As go_live() does for a new object: it is owned here now. It is in its space already, unless it
/// has changed that with its move.
EntityResult<> EntityManager::become_real(Entity& entity) {
  entity.ghost_ = false;
  entity.state_ = EntityState::alive;
  EntityResult<> up;
  const auto tell = [&](Part& part, Component* component) {
    if (!up) return;
    up = call_hook(entity, component, Hook::become_real, [&]() -> EntityResult<> {
      part.on_become_real();
      return {};
    });
    if (up && entity.doomed_) up = EntityErrc::ended;
    if (up) up = start_machines(entity, component);
  };
  for (std::size_t i = 0; i < entity.component_count(); ++i) {
    Component* const component = entity.more().components[i].component;
    tell(*component, component);
  }
  tell(entity, nullptr);
  const OnlineId space = entity.move_plan()->space;
  if (up && entity.space() != space) leave(entity, LeaveReason::left);
  if (up) up = enter_where_it_goes(entity);
  entity.rising_ = entity.doomed_ = false;
  if (!up) {
    destroy(entity);
    return up.error();
  }
  if (options_.observer != nullptr) options_.observer->activated(entity);
  return {};
}

}  // namespace starbus::entity
