#pragma once

#include "bus/core/bytes.hpp"
#include "entity/objects/entity.hpp"
#include "entity/properties/flags.hpp"

namespace starbus::nodes::entities {

/// The receiver of all changes of the entities of a host: for their clients, those of others,
/// ghosts, caches. An EntityHost has one, which knows which of them watch which entity.
///
/// Called on the loop's thread within a tick, so it may not make, end or move entities, nor write
/// to properties; such work takes a later turn. It must not block, and nothing is repeated: a
/// watcher that has lost something asks EntityHost::watch() for a snapshot.
class AudienceSink {
 public:
  /// The changes of one entity for one audience, encoded once for all watchers; of one entity
  /// ghosts come first. A delta from the call before, or a snapshot (docs/guide/properties.md says
  /// how to tell them apart). The bytes live until this returns.
  virtual void news(const entity::Entity& entity, entity::Audience audience,
                    bus::ByteView bytes) = 0;
  /// After the last news of an entity: it has ended here. `moved`: it goes on elsewhere, and sends
  /// its changes to its watchers from there, beginning with a snapshot.
  virtual void gone(const entity::Entity& entity, entity::EndReason reason) {
    static_cast<void>(entity);
    static_cast<void>(reason);
  }
  /// Nothing more comes in this turn of the loop: gathered changes may be sent together.
  virtual void pass_ended() {}

 protected:
  ~AudienceSink() = default;
};

}  // namespace starbus::nodes::entities
