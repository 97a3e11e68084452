/// The surroundings of a manager of entities: a node, or a test. Owned by its creator; called on
/// the loop's thread, within the manager.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "entity/objects/part.hpp"

namespace starbus::entity {

class Entity;
struct LoadReport;  // entity/properties/evolution.hpp

/// A hook, or a constructor, that failed: for logs.
struct HookFailure {
  std::string entity;          // "player 7f3a"
  std::string_view component;  // empty: the entity's own
  Hook hook;
  EntityError error;
  /// "player 7f3a, component 'bag', init: hook_failed: no gold"
  std::string to_string() const;
};

/// The surroundings of a manager: called within it, so it may mark entities, and not settle.
class EntityObserver {
 public:
  /// One of this type is to be made, whoever asks: an error refuses it. `named`: with a persistent
  /// id of its own.
  virtual EntityResult<> admits(const TypeInfo&, bool named) {
    static_cast<void>(named);
    return {};
  }
  /// There is work for settle(), and there was none before.
  virtual void unsettled() {}
  /// Its hooks have run: it is alive.
  virtual void activated(Entity&) {}
  /// It was destroyed, and nothing of it has ended yet: its names and its properties are there.
  virtual void ending(Entity&, EndReason) {}
  /// After its last hook; it is still whole, and is destroyed when this returns.
  virtual void finished(Entity&, EndReason) {}
  virtual void failed(const HookFailure&) {}
  /// Adds its own members to EntityManager::describe.
  virtual void describe(const Entity&, nlohmann::ordered_json&) const {}
  /// A step of it runs, and has run.
  virtual void step_began(const Entity&, std::string_view) {}
  virtual void step_ended() {}
  /// Its properties came by name (MovedForm::by_name), from a process that declares them otherwise.
  virtual void converted(Entity&, const LoadReport&) {}

 protected:
  ~EntityObserver() = default;
};

}  // namespace starbus::entity
