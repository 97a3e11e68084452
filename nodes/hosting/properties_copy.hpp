#pragma once

#include <functional>
#include <utility>

#include "entity/properties/root.hpp"
#include "nodes/replica/mirror_core.hpp"

namespace starbus::nodes::entities {

/// The ghost properties of an entity that lives elsewhere, kept up to date by a replica::Mirror of
/// its channel: see TypeOptions::mirrored.
///
///   PlayerState state;
///   PropertiesCopy copy(state);
///   replica::Mirror mirror(node.rpc(), node.timers(), "player/alice", copy);
///
/// Observers of the properties get every change, also what a snapshot has brought: after a gap, a
/// move, or with a new life of the entity; Change::cause says which. Writing to the properties is
/// refused from its making on. They outlive it; of the loop's thread.
class PropertiesCopy final : public replica::Replica {
 public:
  /// Called after each snapshot, once its differences were told, also if there were none: the copy
  /// has a first state, has missed changes, or the entity has begun a new life.
  using Replaced = std::function<void(entity::Cause)>;

  explicit PropertiesCopy(entity::Root& properties, Replaced replaced = {})
      : properties_(properties), replaced_(std::move(replaced)) {
    properties_.become_replica(entity::Audience::ghost);
  }
  bool restore(bus::ByteView snapshot) override {
    const std::uint32_t had = lineage();
    if (!properties_.apply_snapshot(snapshot)) return false;
    if (!replaced_) return true;
    replaced_(had == 0           ? entity::Cause::first
              : had == lineage() ? entity::Cause::snapshot
                                 : entity::Cause::new_life);
    return true;
  }
  /// A delta, or a snapshot where the source has no delta.
  bool apply(bus::ByteView news) override { return properties_.apply_delta(news) || restore(news); }

 private:
  /// 0: it has no state yet.
  std::uint32_t lineage() const { return properties_.version(entity::Audience::ghost).lineage; }

  entity::Root& properties_;
  const Replaced replaced_;
};

}  // namespace starbus::nodes::entities
