#pragma once

#include "bus/core/bytes.hpp"
#include "entity/objects/entity.hpp"
#include "entity/properties/flags.hpp"
#include "entity/properties/history/lineage.hpp"

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
  /// An entity has arrived from another process, where its watchers of this audience were told up
  /// to `version`. True: they go on from there, as far as this sink knows them; what did not travel
  /// follows as a change, and one that lags is given what it lacks by EntityHost::watch with its
  /// version. False, as by default: the whole state follows at once, as news.
  virtual bool goes_on(const entity::Entity& entity, entity::Audience audience,
                       const entity::Version& version) {
    static_cast<void>(entity);
    static_cast<void>(audience);
    static_cast<void>(version);
    return false;
  }
  /// After the last news of an entity: it has ended here. `moved`: it goes on elsewhere, and sends
  /// its changes to its watchers from there, beginning with a snapshot unless its sink there knows
  /// that they go on.
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
