/// The base of entities and components: the hooks of a life, and the things that end with it.
///
/// Belongs to the loop's thread. Made and destroyed by the EntityManager alone: the constructors of
/// classes take a key that only that has, and their destructors are protected, or private. A hook
/// that fails or throws is reported with the names of entity, component and hook.
/// docs/guide/entities.md has the order.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "entity/archive/decoder.hpp"
#include "entity/archive/encoder.hpp"
#include "entity/events/listener_list.hpp"
#include "entity/identity/id_sources.hpp"
#include "entity/objects/acting.hpp"
#include "entity/objects/limits.hpp"
#include "entity/timers/timer_wheel.hpp"

namespace starbus::entity {

class MachineGroup;

/// Why an entity runs here: Entity::start_reason().
enum class StartReason : std::uint8_t {
  born,     // new
  loaded,   // from its saved state (CreateOptions::saved)
  arrived,  // from another process
  resumed,  // its move was given up: it goes on here
};
std::string_view name_of(StartReason reason);

/// Why an entity ends.
enum class EndReason : std::uint8_t {
  destroyed,  // by destroy()
  moved,      // to another process, which has its state
  fenced,     // the lease was lost: another process may have it by now
  closing,    // the process ends
  erased,     // for good: what is stored of it is erased, too
};
std::string_view name_of(EndReason reason);

/// Why an entity, or a part of it, enters a space.
enum class EnterReason : std::uint8_t {
  entered,    // by enter_space()
  arrived,    // from another process, and in another space than there
  continued,  // from another process, in the space that it is in: to those who see it, nothing
              // happens
};
std::string_view name_of(EnterReason reason);

/// Where an entity goes: for its hooks, from its packing to the end of the move, at both sides.
struct MovePlan {
  std::string target = {};          // the process "HOST.NODE"; empty at the target itself
  OnlineId space = OnlineId::none;  // that it is in there; none: in no space
  bool enter_new_space = false;     // another one than it was packed in
};

/// Why it leaves its space.
enum class LeaveReason : std::uint8_t {
  left,   // by leave_space(), or as the entry was refused
  moved,  // it goes on in another process: in the same space, unless its MovePlan says otherwise
  ended,  // with its entity
};
std::string_view name_of(LeaveReason reason);

/// The hooks of a life, as errors and counters name them.
enum class Hook : std::uint8_t {
  construct,
  init,
  activate,
  enter_space,
  leave_space,
  before_move,
  after_move,
  deactivate,
  final,
  become_ghost,
  become_real,
  step,  // no hook of a life: a step of moving code, see step.hpp
};
std::string_view name_of(Hook hook);

class Part : public Acting {
 public:
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

  /// Timers that are canceled when the entity begins to end: see Acting::after.
  TimerOwner& timers() { return held().timers; }
  /// A listener that is removed then. Error: too_many_closures.
  EntityResult<> keep(Subscription subscription);
  /// Called once, then; the last one first. For members without an owner of their own here, such as
  /// Flows. Error: too_many_closures.
  EntityResult<> at_end(std::function<void()> closure);
  /// Its state machines, if it has some. They start after its on_activate, stop before its
  /// on_deactivate, and travel with its entity, deadlines included; on_exit is not called for
  /// EndReason::moved. People see those of the entity itself.
  virtual MachineGroup* machines() { return nullptr; }

 protected:
  Part();
  virtual ~Part();

  // Nobody else can write `new` or `delete`: the manager makes and ends it.
  static void* operator new(std::size_t size) { return ::operator new(size); }
  static void* operator new(std::size_t size, std::align_val_t to) {
    return ::operator new(size, to);
  }
  static void operator delete(void* at) { ::operator delete(at); }
  static void operator delete(void* at, std::align_val_t to) { ::operator delete(at, to); }

  // The hooks, in the order of a life. Up: components in their order, then the entity. Down: the
  // entity, then components in reverse. A class that overrides one of its base calls that one, too.

  /// Everything is there: ids, properties, all declared components. An error ends the creation. For
  /// one that arrives it runs before the move is granted, so maybe for one that is given up, and
  /// the properties that have come are taken again after it: what it writes to them is undone.
  virtual EntityResult<> on_init() { return {}; }
  /// It may be found, called and bound from now on, and is owned here: for effects, of whatever
  /// start_reason(). An error ends the creation.
  virtual EntityResult<> on_activate() { return {}; }
  /// An error refuses the entry; of one that arrives it counts as one of on_activate, after which
  /// it runs.
  virtual EntityResult<> on_enter_space(OnlineId, EnterReason) { return {}; }
  /// As `moved` it runs at the source when the move has succeeded, and not before.
  virtual void on_leave_space(OnlineId, LeaveReason) {}
  /// Writes the state that travels besides the properties; Entity::move_plan() says where to. An
  /// error refuses the move.
  virtual EntityResult<> on_before_move(Encoder&) { return {}; }
  /// On the target, between init and activation: reads the bytes of on_before_move; or at the
  /// source, where nothing is to be read, if the move was given up: `arrived` is null.
  virtual EntityResult<> on_after_move(Decoder* arrived) {
    static_cast<void>(arrived);
    return {};
  }
  /// It cannot be reached any more; all parts still exist. Only for parts that were activated.
  virtual void on_deactivate(EndReason) {}
  /// The last hook, when all parts have been deactivated. Only for parts that were initialised.
  virtual void on_final(EndReason) {}
  /// It has moved, and stays here as a copy: see EntityManager::become_ghost.
  virtual void on_become_ghost() {}
  /// The copy is the entity now, with the state that has come: in the place of on_init and
  /// on_activate.
  virtual void on_become_real() {}

 private:
  friend class Entity;
  friend class EntityManager;

  TimerOwner& acting_timers() final { return timers(); }

  struct Held {
    Held() = default;
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    virtual ~Held() = default;
    bool muted = false;  // paused
    TimerOwner timers;
    std::vector<Subscription> subscriptions;
    std::vector<std::function<void()>> closures;
  };
  /// Rarely used state, allocated on demand.
  Held& held() {
    if (!held_) held_ = make_held();
    return *held_;
  }
  virtual std::unique_ptr<Held> make_held() { return std::make_unique<Held>(); }
  void let_go();
  /// Neither timers nor listeners are called until unmute(); TimerOwner::resume is the caller's.
  void pause();
  void unmute();
  std::size_t timer_closures() const { return held_ ? held_->timers.size() : 0; }

  std::unique_ptr<Held> held_;
};

}  // namespace starbus::entity
