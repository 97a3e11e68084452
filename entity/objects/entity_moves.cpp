// Entities that leave for another process, and that arrive.
#include <algorithm>
#include <chrono>

#include "entity/objects/entity_manager.hpp"
#include "entity/properties/root.hpp"

namespace starbus::entity {

EntityResult<Bytes> EntityManager::freeze(Entity& entity, const FreezeOptions& how) {
  thread_.check();
  if (entity.rising_ || entity.state_ != EntityState::alive) return EntityErrc::not_alive;
  const OnlineId space = entity.space();
  // Within its entry, or while it leaves.
  if (space != OnlineId::none && !entity.in_space_) return EntityErrc::not_alive;
  if (auto may = may_leave(entity, how.leave_behind); !may) return may.error();
  const Busy busy(*this);
  const OnlineId next = how.space.value_or(space);
  entity.more().plan =
      MovePlan{std::string(how.target), next, next != OnlineId::none && next != space};
  std::vector<std::pair<std::string_view, Bytes>> written;
  const auto write = [&](Part& part, const Component* component) -> EntityResult<> {
    Bytes bytes;
    Encoder out(bytes);
    auto packed =
        call_hook(entity, component, Hook::before_move, [&] { return part.on_before_move(out); });
    if (packed && !out.ok()) packed = EntityError(EntityErrc::too_large, entity.label());
    if (packed && entity.state_ != EntityState::alive) packed = EntityErrc::ended;
    const auto name = component == nullptr ? std::string_view() : component->info_.name;
    if (packed) written.emplace_back(name, std::move(bytes));
    return packed;
  };
  auto packed = write(entity, nullptr);
  for (std::size_t i = entity.component_count(); packed && i-- > 0;) {
    Component* const component = entity.more().components[i].component;
    packed = write(*component, component);
  }
  Bytes state;
  if (packed) packed = may_leave(entity, how.leave_behind);  // a hook may have begun something
  if (packed && entity.space() != space) {
    packed =
        EntityError(EntityErrc::not_movable, entity.label() + ": a hook has changed its space");
  }
  if (packed) park(entity);
  if (packed) packed = pack(entity, written, how.form, state);
  if (packed) {
    entity.state_ = EntityState::frozen;
    hold_still(entity, false);
    return state;
  }
  if (entity.state_ == EntityState::alive) come_back(entity, written.size());
  return packed.error();
}

EntityResult<> EntityManager::pack(Entity& entity,
                                   const std::vector<std::pair<std::string_view, Bytes>>& written,
                                   MovedForm form, Bytes& out) {
  MovedState state;
  state.form = form;
  const std::string persistent_id = entity.persistent_id();
  Bytes properties;
  state.type = entity.type().name();
  state.persistent_id = persistent_id;
  state.online_id = static_cast<std::uint64_t>(entity.online_);
  state.flags = entity.flags_.bits();
  state.left_space = entity.space();
  state.space = entity.move_plan()->space;
  if (entity::Root* root = entity.properties()) {
    const auto encoded = form == MovedForm::by_name
                             ? root->encode_saved(View::migration, properties)
                             : root->encode_snapshot(View::migration, properties);
    if (!encoded) {
      return EntityError(EntityErrc::too_large, encoded.error().to_string());
    }
    state.properties = properties;
    if (form == MovedForm::by_name) state.watchers = root->watchers();
  }
  if (const MovingCode* code = entity.code_if()) {
    state.timers = code->parked_timers();
    state.flows = code->parked_flows();
  }
  std::vector<MovedMachines> machines;
  if (auto packed = pack_machines(entity, machines); !packed) return packed;
  for (const auto& [name, bytes] : machines) state.machines.push_back({name, bytes});
  for (const auto& [name, bytes] : written) state.blocks.push_back({name, bytes});
  Bytes client;
  entity.pack_client(client);
  if (!client.empty()) state.blocks.push_back({MovedState::kClientBlock, client});
  Encoder encoder(out);
  state.write(encoder);
  if (encoder.ok()) return {};
  entity.client_goes_on();
  return EntityError(EntityErrc::too_large, entity.label());
}

EntityResult<> EntityManager::thaw(Entity& entity) {
  if (entity.state_ != EntityState::frozen) return EntityErrc::not_alive;
  entity.state_ = EntityState::alive;
  const Busy busy(*this);
  wake(entity);
  come_back(entity, entity.component_count() + 1);
  // Last: they may find their entity as the hooks have left it.
  if (entity.state_ == EntityState::alive) entity.resume_rpc();
  return {};
}

/// The move was given up: tells the last `parts` of those that packed, in the order of going up.
void EntityManager::come_back(Entity& entity, std::size_t parts) {
  const auto tell = [&](Part& part, const Component* component) {
    static_cast<void>(call_hook(entity, component, Hook::after_move,
                                [&] { return part.on_after_move(nullptr); }));
  };
  const std::size_t components = entity.component_count();
  entity.start_reason_ = StartReason::resumed;
  entity.more().plan.reset();
  resume(entity);
  if (parts == 0) return;
  const std::size_t packed = std::min(parts - 1, components);
  for (std::size_t i = components - packed; i < components; ++i) {
    Component* const component = entity.more().components[i].component;
    if (entity.state_ == EntityState::alive) tell(*component, component);
  }
  if (entity.state_ == EntityState::alive) tell(entity, nullptr);
}

// --- code that travels ---------------------------------------------------------------------------

Time EntityManager::cluster_now() const {
  if (options_.cluster_clock) return options_.cluster_clock();
  return std::chrono::system_clock::now().time_since_epoch();
}

void EntityManager::park(Entity& entity) {
  if (MovingCode* const code = entity.code_if()) code->park(cluster_now());
}

void EntityManager::resume(Entity& entity) {
  MovingCode* const code = entity.code_if();
  if (code == nullptr) return;
  if (const auto resumed = code->resume(cluster_now()); !resumed) {
    static_cast<void>(hook_failed(entity, nullptr, Hook::after_move, resumed.error()));
  }
}

/// Checks the state before the first hook runs.
EntityResult<> EntityManager::take_code(Entity& entity, const MovedState& moved) {
  if (moved.timers.empty()) return {};
  if (options_.timers == nullptr) return EntityErrc::no_timers;
  return entity.make_code().park(moved.timers, moved.flows, cluster_now());
}

void EntityManager::run_step(Entity& entity, std::string_view name, ByteView arguments,
                             const StepAnswer* answer) {
  const Busy busy(*this);
  EntityRow& row = *entity.row_;  // the entity may end
  EntityObserver* const observer = options_.observer;
  if (observer != nullptr) observer->step_began(entity, name);
  const LocalId id = entity.local_id();
  const rpc::OwnTime time;
  const Step* const step = entity.find_step(name);  // known: it was named by type, or looked up
  static_cast<void>(call_hook(entity, nullptr, Hook::step, [&]() -> EntityResult<> {
    const DataErrc bad = step->run(&entity, arguments.subspan(kStepHead),
                                   answer == nullptr ? StepAnswer{} : *answer);
    if (bad == DataErrc::ok) return {};
    return EntityError(EntityErrc::unknown_step, std::string(name));
  }));
  // Whatever runs steps is charged with them, too: a kind of timers, mostly.
  const std::uint64_t passed = time.own();
  ++row.steps;
  row.step_ticks += passed;
  if (Entity* const there = table_.listed(id)) there->add_busy(passed);
  if (observer != nullptr) observer->step_ended();
}

// --- arriving ------------------------------------------------------------------------------------

EntityResult<Entity*> EntityManager::create_moved(ByteView bytes) {
  const EntityResult<OnlineId> id = prepare_moved(bytes);
  if (!id) return id.error();
  return activate_moved(*id);
}

EntityResult<OnlineId> EntityManager::prepare_moved(ByteView bytes) {
  thread_.check();
  if (closing_) {
    ++counters_.refused;
    return EntityErrc::closed;
  }
  const auto state = MovedState::read(bytes);
  if (!state) {
    ++counters_.refused;
    return EntityErrc::bad_state;
  }
  if (Entity* const copy = table_.find_ghost(OnlineId{state->online_id})) {
    return take_place(*copy, *state);
  }
  CreateOptions options;
  options.persistent_id = state->persistent_id;
  options.online_id = OnlineId{state->online_id};
  options.flags = EntityFlags::from_bits(state->flags);
  const auto made = create_named(state->type, options, &*state);
  if (!made) return made.error();
  return (*made)->online_;
}

EntityResult<Entity*> EntityManager::activate_moved(OnlineId id) {
  Entity* const entity = table_.take_prepared(id);
  if (entity == nullptr) return EntityErrc::not_alive;
  const Busy busy(*this);
  if (entity->doomed_) {
    undo_arrival(*entity);
    return EntityErrc::ended;
  }
  entity->arriving_ = false;
  resume(*entity);
  auto lives = entity->ghost_ ? become_real(*entity) : go_live(*entity);
  if (!lives) return lives.error();
  entity->more().plan.reset();
  wake(*entity);
  entity->resume_rpc();
  return entity;
}

bool EntityManager::abandon_moved(OnlineId id) {
  Entity* const entity = table_.take_prepared(id);
  if (entity == nullptr) return false;
  const Busy busy(*this);
  undo_arrival(*entity);
  return true;
}

void EntityManager::undo_arrival(Entity& entity) {
  if (entity.ghost_) return stand_as_ghost(entity);
  static_cast<void>(undo(entity, EntityErrc::ended));
}

/// Between initialisation and activation.
EntityResult<> EntityManager::arrive(Entity& entity, const MovedState& state) {
  for (const MovedState::Block& block : state.blocks) {
    if (block.component != MovedState::kClientBlock) continue;
    if (!entity.unpack_client(block.bytes)) return EntityErrc::bad_state;
  }
  const auto read = [&](Part& part, const Component* component) -> EntityResult<> {
    const auto name = component == nullptr ? std::string_view() : component->info_.name;
    for (const MovedState::Block& block : state.blocks) {
      if (block.component != name) continue;
      Decoder in(block.bytes);
      auto arrived =
          call_hook(entity, component, Hook::after_move, [&] { return part.on_after_move(&in); });
      if (arrived && in.finish() != DataErrc::ok) {
        return EntityError(EntityErrc::bad_state, entity.label() + ' ' + std::string(name));
      }
      if (arrived && entity.doomed_) return EntityErrc::ended;
      return arrived;
    }
    return {};  // the source did not have this part
  };
  for (std::size_t i = 0; i < entity.component_count(); ++i) {
    Component* const component = entity.more().components[i].component;
    if (auto arrived = read(*component, component); !arrived) return arrived;
  }
  return read(entity, nullptr);
}

}  // namespace starbus::entity
