#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>

#include "base/loop_thread.hpp"
#include "entity/objects/entity_manager.hpp"
#include "entity/timers/timer_wheel.hpp"
#include "nodes/hosting/host_options.hpp"

namespace starbus::entity::rpc {
class Endpoint;
}

namespace starbus::nodes::entities {

class EntityMail;
class EntityNotices;

struct HostCounters {
  std::uint64_t saved = 0;
  std::uint64_t unsaved = 0;    // saves that failed or timed out
  std::uint64_t unchanged = 0;  // entities that ended in the state that was saved last
  std::uint64_t fenced = 0;     // entities that ended with the lease
  std::uint64_t moved_out = 0;
  std::uint64_t moved_in = 0;
  std::uint64_t moves_failed = 0;      // the entity stayed here
  std::uint64_t moves_busy = 0;        // of these: because of coroutines, calls or closures
  std::uint64_t left_behind = 0;       // coroutines and closures that ended with a move
  std::uint64_t arrivals_refused = 0;  // the entity stayed in the other process
  std::uint64_t arrivals_late = 0;     // activations that failed and were tried again
  std::uint64_t arrivals_lost = 0;     // owned here, and never activated
  std::uint64_t overtaken = 0;  // came back from a move whose target had stored a later state
};

class ClientLinks;

/// State that the parts of an EntityHost share. The EntityHost owns it; it outlives the parts.
struct HostContext {
  entity::rpc::Endpoint& endpoint;
  entity::TimerWheel& timers;
  /// Set before any part is used; null while the EntityHost is destroyed.
  entity::EntityManager* entities = nullptr;
  std::unordered_map<const entity::TypeInfo*, TypeOptions> types{};
  HostCounters counters{};
  bool draining = false;
  /// Set before any part is used.
  ClientLinks* clients = nullptr;
  /// Called when a move in either direction has ended.
  std::function<void()> on_move_ended{};
  /// Called when an entity gets, or asks for, a channel name; with its online id.
  std::function<void(std::uint64_t)> on_named{};
  /// Called of an entity that has come from another process, when it is activated, owned and
  /// bound, and before the first message to it is handed over.
  std::function<void(entity::Entity&)> on_arrived{};
  /// Called of an entity whose move was rolled back, before it goes on.
  std::function<void(entity::Entity&)> on_rolled_back{};
  /// Called when a save has ended.
  std::function<void()> on_save_ended{};
  /// Null: entities get neither.
  EntityMail* mail = nullptr;
  EntityNotices* notices = nullptr;
  entity::TimerOwner alarms{};
  /// Completions hold it weakly: expired after the EntityHost has ended.
  std::shared_ptr<bool> alive = std::make_shared<bool>(true);
  LoopThread thread{};

  /// Defaults for a type that was not declared.
  const TypeOptions& options_of(const entity::Entity& entity) const {
    static const TypeOptions kDefaults;
    const auto found = types.find(&entity.type());
    return found == types.end() ? kDefaults : found->second;
  }
};

/// The online id as a number.
inline std::uint64_t id_of(const entity::Entity& entity) {
  return static_cast<std::uint64_t>(entity.online_id());
}

}  // namespace starbus::nodes::entities
