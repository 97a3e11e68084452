/// What surrounds the entities of a process, as their code reaches it through world(): the endpoint
/// of RPC, the timers, and what the program adds: its database, its saver, the rules of the game.
///
///   World world(endpoint, wheel);
///   world.add<db::Database>(database);                  // once, before entities need it
///   EntityManager entities(types, ids, draw, {.timers = &wheel, .world = &world});
///   ...
///   world().get<db::Database>()                         // in a method of an entity or component
///
/// An EntityHost has one, with itself and its node in it; a test of game code makes its own, with
/// doubles. Belongs to the loop's thread. Owns nothing: what is added outlives the entities. To ask
/// for what was never added is a programming error: std::logic_error.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bus/core/error.hpp"

namespace starbus::entity {

class Entity;
class TimerWheel;
namespace rpc {
class Endpoint;
}

class World {
 public:
  World() = default;
  World(rpc::Endpoint& endpoint, TimerWheel& timers) : endpoint_(&endpoint), timers_(&timers) {}
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  /// Throws std::logic_error if there is none.
  rpc::Endpoint& rpc() const {
    if (endpoint_ == nullptr) throw std::logic_error("this world has no rpc::Endpoint");
    return *endpoint_;
  }
  /// Null: there is none.
  rpc::Endpoint* find_rpc() const { return endpoint_; }
  /// Throws std::logic_error if there is none.
  TimerWheel& timers() const {
    if (timers_ == nullptr) throw std::logic_error("this world has no TimerWheel");
    return *timers_;
  }
  /// Null: there is none.
  TimerWheel* find_timers() const { return timers_; }

  /// Moves an entity to the process "HOST.NODE", and calls `done`, unless that is empty, when it
  /// has ended here, or stays.
  using Mover = std::function<void(Entity& entity, std::string process,
                                   std::function<void(bus::Result<>)> done)>;
  /// For Entity::move_to. Throws std::logic_error if none was set: an EntityHost sets it.
  const Mover& mover() const {
    if (!mover_) throw std::logic_error("this world moves no entities: it has no EntityHost");
    return mover_;
  }
  void set_mover(Mover mover) { mover_ = std::move(mover); }

  void set_rpc(rpc::Endpoint& endpoint) { endpoint_ = &endpoint; }
  void set_timers(TimerWheel& timers) { timers_ = &timers; }
  /// Makes a thing known by its type, or by a base that is named: add<db::Database>(remote). There
  /// is one of each type; a second one replaces it.
  template <class T>
  void add(T& thing) {
    for (Thing& each : things_) {
      if (each.type == &kType<T>) {
        each.thing = &thing;
        return;
      }
    }
    things_.push_back({&kType<T>, &thing});
  }
  /// Forgets the thing of this type: for one that ends before the entities.
  template <class T>
  void remove() {
    std::erase_if(things_, [](const Thing& each) { return each.type == &kType<T>; });
  }
  /// Throws std::logic_error if none of this type was added.
  template <class T>
  T& get() const {
    if (T* found = find<T>()) return *found;
    throw std::logic_error("this world has no such thing: add it first, under the same type");
  }
  /// Null: none of this type was added.
  template <class T>
  T* find() const {
    for (const Thing& each : things_) {
      if (each.type == &kType<T>) return static_cast<T*>(each.thing);
    }
    return nullptr;
  }

 private:
  struct Thing {
    const void* type;
    void* thing;
  };
  template <class T>
  static inline char kType = 0;  // its address stands for the type, which may be incomplete

  rpc::Endpoint* endpoint_ = nullptr;
  TimerWheel* timers_ = nullptr;
  Mover mover_;
  std::vector<Thing> things_;  // as many as types that the program adds: a few
};

}  // namespace starbus::entity
