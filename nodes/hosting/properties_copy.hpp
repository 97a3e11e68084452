#pragma once

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
/// Writing to the properties is refused from its making on. They outlive it; of the loop's thread.
class PropertiesCopy final : public replica::Replica {
 public:
  explicit PropertiesCopy(entity::Root& properties) : properties_(properties) {
    properties_.become_replica(entity::Audience::ghost);
  }
  bool restore(bus::ByteView snapshot) override {
    return properties_.apply_snapshot(snapshot).has_value();
  }
  /// A delta, or a snapshot where the source has no delta.
  bool apply(bus::ByteView news) override {
    return properties_.apply_delta(news) || properties_.apply_snapshot(news);
  }

 private:
  entity::Root& properties_;
};

}  // namespace starbus::nodes::entities
