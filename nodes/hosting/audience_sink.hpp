#pragma once

#include "bus/core/bytes.hpp"
#include "entity/objects/entity.hpp"
#include "entity/properties/flags.hpp"

namespace starbus::nodes::entities {

/// Who takes what the entities of a host tell: their clients, those of others, ghosts, caches. An
/// EntityHost has one, which knows who of them wants what.
///
/// Called on the loop's thread within a tick, so it may not make, end or move entities, nor write
/// to properties; what it has to do takes a later turn. It must not block, and nothing is repeated:
/// who has lost something asks EntityHost::watch() for a snapshot.
class AudienceSink {
 public:
  /// What changed of one entity for one audience, encoded once, whoever wants it; of one entity
  /// ghosts first. A delta from what was told before, or a snapshot (docs/guide/properties.md says
  /// how to tell). The bytes live until this returns.
  virtual void news(const entity::Entity& entity, entity::Audience audience,
                    bus::ByteView bytes) = 0;
  /// Behind the last news of an entity: it has ended here. `moved`: it goes on elsewhere, and tells
  /// those who watch from there, beginning with a snapshot.
  virtual void gone(const entity::Entity& entity, entity::EndReason reason) {
    static_cast<void>(entity);
    static_cast<void>(reason);
  }
  /// Nothing more comes in this turn of the loop: what was gathered may be sent together.
  virtual void pass_ended() {}

 protected:
  ~AudienceSink() = default;
};

}  // namespace starbus::nodes::entities
