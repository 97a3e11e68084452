// Entities that stand still: frozen for a move, or arriving and not owned here yet.
#include "entity/machines/machine_group.hpp"
#include "entity/objects/entity_manager.hpp"
#include "entity/properties/root.hpp"

namespace starbus::entity {
namespace {

/// Names of coroutines in an error: people read them.
constexpr std::size_t kNamedCoroutines = 4;

EntityError of_machines(const Error& error) {
  if (error == MachineErrc::busy) return {EntityErrc::busy, "machine " + error.to_string()};
  return {EntityErrc::not_movable, "machine " + error.to_string()};
}

}  // namespace

/// Whether all that is under way in it can travel, or may be left behind. A call with an owner ends
/// by its own deadline, and its callback cannot be held.
EntityResult<> EntityManager::may_leave(const Entity& entity, bool leave_behind) {
  const std::size_t calls = leave_behind ? entity.rpc_owned_calls() : entity.rpc_under_way();
  const std::size_t closures = leave_behind ? 0 : entity.timer_closures();
  if (calls == 0 && closures == 0) return {};
  std::string text = entity.label() + ":";
  if (calls > 0) {
    text.append(" ").append(std::to_string(calls)).append(" coroutines or calls");
    std::string_view before = ": ";
    for (const std::string& name : entity.rpc_running(kNamedCoroutines)) {
      text.append(std::exchange(before, ", ")).append(name);
    }
  }
  if (calls > 0 && closures > 0) text.append(";");
  if (closures > 0) {
    text.append(" ").append(std::to_string(closures)).append(" closures of timers()");
  }
  return EntityError(EntityErrc::busy, text);
}

void EntityManager::hold_still(Entity& entity, bool arrives) {
  Root* const properties = arrives ? nullptr : entity.properties();
  if (properties != nullptr) properties->freeze();
  entity.pause_rpc(arrives);
  const auto pause = [arrives](Part& part) {
    part.pause();
    MachineGroup* const machines = arrives ? nullptr : part.machines();
    if (machines != nullptr) machines->pause();
  };
  pause(entity);
  for (std::size_t i = 0; i < entity.component_count(); ++i) {
    pause(*entity.more().components[i].component);
  }
}

/// All timers at once, for the order of those that are overdue.
void EntityManager::wake(Entity& entity) {
  if (Root* const properties = entity.properties()) properties->thaw();
  std::vector<Part*> parts = {&entity};
  for (const Entity::Attached& each : entity.more().components) parts.push_back(each.component);
  std::vector<TimerOwner*> timers;
  for (Part* const part : parts) {
    part->unmute();
    timers.push_back(&part->timers());
    if (MachineGroup* const machines = part->machines()) machines->collect_timers(timers);
  }
  resume_timers(timers);
  for (Part* const part : parts) {
    if (MachineGroup* const machines = part->machines()) machines->resume();
  }
}

// --- machines ------------------------------------------------------------------------------------

/// After its activation; those that have come from another process go on where they were.
EntityResult<> EntityManager::start_machines(Entity& entity, Component* component) {
  Part& part = component == nullptr ? static_cast<Part&>(entity) : *component;
  MachineGroup* const machines = part.machines();
  if (machines == nullptr) return {};
  auto started = call_hook(entity, component, Hook::activate, [&]() -> EntityResult<> {
    machines->resume();
    if (auto begun = machines->start_new(); !begun) {
      return EntityError(EntityErrc::hook_failed, "machines: " + begun.error().to_string());
    }
    return {};
  });
  if (!started) return started;
  if (entity.doomed_ || entity.state_ == EntityState::ending) return EntityErrc::ended;
  return {};
}

void EntityManager::stop_machines(Entity& entity, Component* component) {
  Part& part = component == nullptr ? static_cast<Part&>(entity) : *component;
  MachineGroup* const machines = part.machines();
  if (machines == nullptr) return;
  static_cast<void>(call_hook(entity, component, Hook::deactivate, [&]() -> EntityResult<> {
    machines->stop();
    return {};
  }));
}

EntityResult<> EntityManager::pack_machines(Entity& entity, std::vector<MovedMachines>& out) {
  const auto pack = [&out](Part& part, std::string_view name) -> EntityResult<> {
    MachineGroup* const machines = part.machines();
    if (machines == nullptr || machines->size() == 0) return {};
    Bytes bytes;
    Encoder encoder(bytes);
    if (const auto packed = machines->pack(encoder); !packed) return of_machines(packed.error());
    if (!encoder.ok()) return EntityError(EntityErrc::too_large, "machines");
    out.emplace_back(name, std::move(bytes));
    return {};
  };
  EntityResult<> packed = pack(entity, {});
  for (std::size_t i = 0; packed && i < entity.component_count(); ++i) {
    Component* const component = entity.more().components[i].component;
    packed = pack(*component, component->info_.name);
  }
  return packed;
}

/// A component that is not here is left out, with its machines, as its own bytes are.
EntityResult<> EntityManager::unpack_machines(Entity& entity, const MovedState& moved) {
  for (const MovedState::Block& block : moved.machines) {
    Part* part = block.component.empty() ? &entity : nullptr;
    for (std::size_t i = 0; part == nullptr && i < entity.component_count(); ++i) {
      Component* const component = entity.more().components[i].component;
      if (component->info_.name == block.component) part = component;
    }
    if (part == nullptr) continue;
    const std::string where = entity.label() + ' ' + std::string(block.component);
    MachineGroup* const machines = part->machines();
    if (machines == nullptr) return EntityError(EntityErrc::unknown_machine, where);
    machines->pause();
    Decoder in(block.bytes);
    if (const auto taken = machines->unpack(in); !taken) {
      const bool unknown = taken.error() == MachineErrc::unknown_state;
      return EntityError(unknown ? EntityErrc::unknown_machine : EntityErrc::bad_state,
                         where + ": " + taken.error().to_string());
    }
  }
  return {};
}

}  // namespace starbus::entity
