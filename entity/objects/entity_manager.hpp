/// The home of the entities of a process: makes them, finds them, walks over them, ends them. Read
/// entity.hpp first; docs/guide/entities.md has the promises.
///
///   EntityFactory types;
///   declare_entity<Player>(types).value();
///   EntityManager entities(types, PersistentIdSource(node, start), [&] { return ids.next(); });
///   Player* player = entities.create<Player>("alice").value();
///   entities.destroy(*player);   // anywhere, also in its own methods and hooks
///   entities.settle();           // the loop, when nothing of any entity is on the stack
///
/// Sans-IO: its driver decides when settle() runs, binds names and logs (EntityObserver).
/// Belongs to the loop's thread (checked); owns every entity; the factory outlives it. Failures are
/// values.
#pragma once

#include <deque>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/loop_thread.hpp"
#include "entity/objects/entity_factory.hpp"
#include "entity/objects/entity_observer.hpp"
#include "entity/objects/entity_table.hpp"
#include "entity/objects/moved_state.hpp"

namespace starbus::entity {

/// Bounds and surroundings of an EntityManager.
struct EntityOptions {
  std::size_t most = kMaxEntities;
  EntityObserver* observer = nullptr;  // outlives the manager
  /// For timers and flows that travel; outlives the manager. Null: entities have none.
  TimerWheel* timers = nullptr;
  /// What the code of entities reaches through world(); outlives the manager. Null: an empty one,
  /// with these timers.
  World* world = nullptr;
  /// The clock that all processes share; of its zero nothing is assumed. Not set: the system's.
  std::function<Time()> cluster_clock = {};
};

/// How one is made; the defaults are for new ones.
struct CreateOptions {
  std::string persistent_id = {};           // empty: one from the online id
  OnlineId online_id = OnlineId::none;      // none: the next free one
  EntityFlags flags = {};                   // from the constructor's end on
  std::optional<bus::ByteView> saved = {};  // of the properties (View::save), read before the hooks
};

struct EntityCounters {
  std::uint64_t created = 0;   // that became alive
  std::uint64_t ended = 0;     // of those
  std::uint64_t refused = 0;   // creations that failed, for whatever reason
  std::uint64_t failures = 0;  // of hooks
};

/// How an entity is packed.
struct FreezeOptions {
  MovedForm form = MovedForm::snapshot;
  /// The process that it moves to, "HOST.NODE": see Entity::moving_to().
  std::string_view target = {};
  /// The space that it is in at the target; not set: the one that it is in.
  std::optional<OnlineId> space = {};
  /// Coroutines, and closures of timers(), are held, go on if the move is given up, and end with
  /// the entity here if it is not. False: `busy` while there are any.
  bool leave_behind = false;
};

template <class T>
concept EntityClass = std::is_base_of_v<Entity, T>;

class EntityManager {
 public:
  /// Error: no_ids.
  using DrawId = std::function<IdentityResult<OnlineId>()>;

  EntityManager(const EntityFactory& types, PersistentIdSource names, DrawId draw,
                const EntityOptions& options = {});
  /// Ends all, as close().
  ~EntityManager();
  EntityManager(const EntityManager&) = delete;
  EntityManager& operator=(const EntityManager&) = delete;

  // --- making ---

  /// Errors: unknown_type, duplicate_type, no_ids, too_many_entities, bad_id, duplicate_id,
  /// bad_state, init_failed, ended, closed, busy: nothing stays of it.
  template <EntityClass T, class... A>
  EntityResult<T*> create(A&&... arguments) {
    return create_with<T>(CreateOptions{}, std::forward<A>(arguments)...);
  }
  template <EntityClass T, class... A>
  EntityResult<T*> create_with(const CreateOptions& options, A&&... arguments);
  /// Also: abstract_type, needs_arguments.
  EntityResult<Entity*> create_by_name(std::string_view type, const CreateOptions& options = {}) {
    return create_named(type, options, nullptr);
  }

  // --- finding entities that are alive ---

  /// Null if it has ended, is ending, is not alive yet, or is frozen.
  Entity* find(LocalId id) const { return table_.find(id); }
  Entity* find(OnlineId id) const { return table_.find(id); }
  Entity* find_persistent(std::string_view id) const { return table_.find_persistent(id); }
  /// For the code that moves entities: one that is alive or frozen. A frozen one is not to be
  /// called, nor written to.
  template <class Id>
  Entity* find_here(const Id& id) const {
    return table_.find_here(id);
  }
  /// Null also if it is of another class.
  template <EntityClass T, class Id>
  T* find_as(Id id) const {
    return type_cast<T>(find(id));
  }

  /// visit(T&) for each T, also of derived classes: types in the order in which the first of each
  /// was made, and in each the oldest first. Entities made meanwhile may be left out, those that
  /// end meanwhile and frozen ones are; nothing is destroyed before the walk has ended.
  template <EntityClass T, class Visit>
  void for_each(Visit&& visit) {
    const Busy busy(*this);
    table_.walk([](const EntityRow& row) { return row.type->is_a(type_info<T>()); },
                EntityTable::Among::alive, [&](Entity& entity) { visit(static_cast<T&>(entity)); });
  }
  template <EntityClass T, class Visit>
  void for_each_exactly(Visit&& visit) {
    const Busy busy(*this);
    table_.walk([](const EntityRow& row) { return row.type == &type_info<T>(); },
                EntityTable::Among::alive, [&](Entity& entity) { visit(static_cast<T&>(entity)); });
  }
  /// Whether its persistent id was given to it: else it was made from the online id.
  bool has_own_id(const Entity& entity) const {
    return table_.has_given_name(entity.persistent_id());
  }
  /// visit(Entity&) for each that is alive or frozen; as find_here().
  template <class Visit>
  void for_each_here(Visit&& visit) {
    const Busy busy(*this);
    table_.walk([](const EntityRow&) { return true; }, EntityTable::Among::frozen_too, visit);
  }
  /// All that exist, in whatever state.
  std::size_t size() const { return table_.size(); }
  const std::deque<EntityRow>& rows() const { return table_.rows(); }
  const EntityCounters& counters() const { return counters_; }
  const EntityFactory& types() const { return types_; }
  World& world() { return options_.world != nullptr ? *options_.world : own_world_; }

  /// JSON: types and ids, state, components, steps that wait, watchers, properties; and the
  /// observer's part. Bounded: entries beyond kShownProperties or kShownSteps are left out, and
  /// counted.
  nlohmann::ordered_json describe(const Entity& entity) const;

  // --- living ---

  /// Errors: in_space, not_alive, init_failed (a hook refused), ended.
  EntityResult<> enter_space(Entity& entity, OnlineId space);
  /// Was it in one, and has left it? One that is frozen stays in its space.
  bool leave_space(Entity& entity);

  // --- moving ---

  /// Packs the state that travels, for create_moved() elsewhere. It stays in its space: there it
  /// enters the same one, or FreezeOptions::space, after its activation; here it leaves as
  /// LeaveReason::moved when it ends as EndReason::moved. Until the entity is thawed, or
  /// destroyed as EndReason::moved, nothing of it runs: coroutines and timers wait, listeners are
  /// passed by, machines and properties refuse. The caller takes care of calls to it. Errors:
  /// not_alive, init_failed (a hook refused), busy, not_movable, too_large, ended: the move was
  /// given up.
  EntityResult<Bytes> freeze(Entity& entity, const FreezeOptions& how = {});
  EntityResult<Bytes> freeze(Entity& entity, MovedForm form) {
    return freeze(entity, FreezeOptions{.form = form});
  }
  /// The move was aborted: the entity goes on here, as it was. If it may have lived at the target
  /// meanwhile (bus::Errc::rolled_back), let its properties begin_anew() before. Error: not_alive.
  EntityResult<> thaw(Entity& entity);
  /// Makes an entity from the bytes of freeze(), of any process, with its ids; also bad_state, and
  /// as create_by_name().
  EntityResult<Entity*> create_moved(ByteView state);
  /// The same in two halves, for callers that must know that it can live here before it does. The
  /// first does everything but the activation: it cannot be found yet, and its steps are parked.
  /// Also other_schema.
  EntityResult<OnlineId> prepare_moved(ByteView state);
  /// Errors: init_failed, ended: it is destroyed; not_alive: it was not made by the first half.
  EntityResult<Entity*> activate_moved(OnlineId id);
  /// An entity that the first half has made; null: there is none with this id.
  Entity* find_prepared(OnlineId id) const { return table_.find_prepared(id); }
  /// Undoes the first half. Was it one of those?
  bool abandon_moved(OnlineId id);

  // For worlds in which one space spans processes: a copy of an entity that lives in another one.

  /// A frozen entity has moved and stays here as a ghost, instead of its end as EndReason::moved:
  /// in its space, under its ids. Nothing of it runs, its coroutines and timers end, find_ghost()
  /// alone finds it, and its properties are a replica (Audience::ghost) that takes a snapshot
  /// first. If its state arrives here again (prepare_moved) the object itself becomes the entity,
  /// and a ghost again if that is abandoned. Error: not_alive.
  EntityResult<> become_ghost(Entity& entity);
  /// Null: there is none.
  Entity* find_ghost(OnlineId id) const { return table_.find_ghost(id); }

  // --- ending ---

  /// Nothing of it runs from now on but the hooks of its end, which settle() runs: it is found no
  /// more, calls to it answer no_such_entity, its coroutines, timers and listeners end. Idempotent:
  /// the first reason counts. From within anything.
  void destroy(Entity& entity, EndReason reason = EndReason::destroyed);
  /// Ends destroyed entities, in the order of destroy(), `most` at a time, or until `time` is over
  /// (null: it has no end). True: there is more, for the next pass. Within a hook, a constructor or
  /// a walk it does nothing.
  bool settle(std::size_t most = kSettlePass, const rpc::PassTime* time = nullptr);
  /// Marks all, and again the entities that their hooks make: settle() goes on until nothing is
  /// left, which closed() shows.
  void begin_close(EndReason reason = EndReason::closing);
  /// begin_close and settle to the end. Error: endless_close; not_alive within a hook or a walk.
  EntityResult<> close(EndReason reason = EndReason::closing);
  bool closed() const { return closing_ && size() == 0; }

 private:
  friend class Entity;
  friend class MovingCode;
  struct Birth {
    EntityRow* row;
    LocalId local;
    OnlineId online;
  };
  struct Ending {
    std::uint32_t slot;
    EndReason reason;
  };
  /// A stack frame in which nothing may be destroyed: settle() does nothing meanwhile.
  struct Busy {
    explicit Busy(EntityManager& of) : manager(of) { ++manager.busy_; }
    ~Busy() { --manager.busy_; }
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;
    EntityManager& manager;
  };

  EntityResult<Birth> begin(const TypeInfo& type, const CreateOptions& options);
  EntityError never_born(const Birth& birth);
  EntityResult<Entity*> create_named(std::string_view type, const CreateOptions& options,
                                     const MovedState* moved);
  EntityResult<> bring_up(Entity& entity, const CreateOptions& options,
                          const MovedState* moved = nullptr);
  EntityResult<> enlist(Entity& entity, const CreateOptions& options);
  EntityResult<> raise(Entity& entity, const CreateOptions& options, const MovedState* moved);
  EntityResult<> go_live(Entity& entity);
  EntityResult<> load(Entity& entity, const CreateOptions& options, const MovedState* moved);
  /// What one part writes: the name of its component, empty for the entity itself.
  using MovedMachines = std::pair<std::string_view, Bytes>;
  EntityResult<> pack(Entity& entity,
                      const std::vector<std::pair<std::string_view, Bytes>>& written,
                      MovedForm form, Bytes& out);
  static EntityResult<> take_properties(Entity& entity, const MovedState& moved,
                                        LoadReport* converted = nullptr);
  void come_back(Entity& entity, std::size_t parts);
  Time cluster_now() const;
  void park(Entity& entity);
  void resume(Entity& entity);
  // Of the entity and its components: entity_pause.cpp.
  static EntityResult<> may_leave(const Entity& entity, bool leave_behind);
  void hold_still(Entity& entity, bool arrives);
  void wake(Entity& entity);
  EntityResult<> start_machines(Entity& entity, Component* component);
  void stop_machines(Entity& entity, Component* component);
  static EntityResult<> pack_machines(Entity& entity, std::vector<MovedMachines>& out);
  EntityResult<> unpack_machines(Entity& entity, const MovedState& moved);
  EntityResult<> take_code(Entity& entity, const MovedState& moved);
  /// Runs the step that a timer or an answer names. Null answer: a timer.
  void run_step(Entity& entity, std::string_view name, ByteView arguments,
                const StepAnswer* answer);
  EntityResult<> arrive(Entity& entity, const MovedState& state);
  EntityResult<> run_up(Entity& entity, Entity::Stage stage);
  EntityResult<> raise_component(Entity& entity, std::size_t place, Entity::Stage stage);
  EntityResult<> raise_added(Entity& entity, Component* component);
  EntityResult<> undo(Entity& entity, EntityError error);
  void undo_arrival(Entity& entity);
  template <class Call>
  EntityResult<> call_hook(const Entity& entity, const Component* component, Hook hook,
                           Call&& call);
  EntityError hook_failed(const Entity& entity, const Component* component, Hook hook,
                          const EntityError& error);
  /// Within a catch.
  static std::string what_was_thrown();
  EntityError constructor_threw(std::string entity, std::string_view component);
  EntityResult<> enter_all(Entity& entity, OnlineId space, EnterReason why);
  EntityResult<> enter(Entity& entity, Component* component, EnterReason why);
  EntityResult<> enter_where_it_goes(Entity& entity);
  void leave(Entity& entity, LeaveReason why);
  // Of ghosts: entity_ghosts.cpp.
  void stand_as_ghost(Entity& entity);
  EntityResult<OnlineId> take_place(Entity& copy, const MovedState& moved);
  EntityResult<> become_real(Entity& entity);

  void silence(Entity& entity);
  void run_down(Entity& entity, EndReason reason);
  void run_down_part(Entity& entity, std::ptrdiff_t place, Hook hook, EndReason reason);
  void run_component_down(Entity& entity, std::size_t place);
  void take_down(Entity& entity, EndReason reason);
  void remove(Entity& entity);
  bool next_round();

  const EntityFactory& types_;
  const DrawId draw_;
  const EntityOptions options_;
  World own_world_;
  EntityTable table_;
  std::deque<Ending> endings_;
  std::size_t busy_ = 0;
  bool closing_ = false;
  bool refusing_ = false;  // after too many rounds, or when all has ended
  EndReason close_reason_ = EndReason::closing;
  std::size_t rounds_ = 0;
  EntityCounters counters_;
  LoopThread thread_;
};

/// Reports a failure with the names of the entity, the component and the hook.
template <class Call>
EntityResult<> EntityManager::call_hook(const Entity& entity, const Component* component, Hook hook,
                                        Call&& call) {
  EntityResult<> result;
  try {
    result = call();
  } catch (...) {
    result = EntityError(EntityErrc::hook_threw, what_was_thrown());
  }
  if (result) return result;
  return hook_failed(entity, component, hook, result.error());
}

template <EntityClass T, class... A>
EntityResult<T*> EntityManager::create_with(const CreateOptions& options, A&&... arguments) {
  thread_.check();
  const Busy busy(*this);
  const EntityResult<Birth> birth = begin(type_info<T>(), options);
  if (!birth) return birth.error();
  const ConstructKey key(*birth->row, birth->local, birth->online);
  T* made = nullptr;
  try {
    made = T::construct(key, std::forward<A>(arguments)...);
  } catch (...) {
    return never_born(*birth);
  }
  if (auto lives = bring_up(*made, options); !lives) return lives.error();
  return made;
}

}  // namespace starbus::entity
