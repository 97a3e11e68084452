/// Settings of an EntityHost and of its types.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "entity/objects/entity_manager.hpp"
#include "nodes/hosting/audience_sink.hpp"
#include "nodes/hosting/limits.hpp"
#include "nodes/hosting/saved_entity.hpp"

namespace starbus::nodes::entities {

struct HostOptions {
  std::size_t most = entity::kMaxEntities;
  /// The counter of the cluster manager that online ids come from.
  std::string counter = "entities";
  /// Another source of online ids: for tests, and for clusters without a manager.
  entity::EntityManager::DrawId draw = {};
  /// The clock that all processes share, for steps on their way: see entity::EntityOptions. Not
  /// set: the system's.
  std::function<entity::Time()> cluster_clock = {};
  /// Entities whose channel names begin with one of these may move here. Empty: "entity/", and
  /// "TYPE/" for each declared type that can be made by its name.
  std::vector<std::string> take_in = {};
  /// Where entities with `save` properties are stored: DbSaver, or one of your own. Each is saved
  /// at the latest save_every after its first change, and when it ends, unless it was moved. Not
  /// set: nothing is saved. TypeOptions can say otherwise for a type.
  Store save = {};
  /// What entities are loaded from when they enter (EntityHost::enter): DbSaver::loader(), or one
  /// of your own.
  Load load = {};
  std::chrono::milliseconds save_every{kSaveEvery};  // 0: only when it ends
  /// The log of notices to entities that have a Notices component (mail/notices.hpp), followed from
  /// the first of them on. Empty: none.
  std::string notices = "log/notices";
  /// Until a message whose handler failed is tried again: the first pause, which is doubled.
  std::chrono::milliseconds mail_retry{kMailRetry};
  /// Receives property changes; outlives the host. Null: only mirrors receive them.
  AudienceSink* sink = nullptr;
  /// Interval of property changes and due saves; in a node at the earliest with its next tick, in
  /// the phase `sync`. 0: only when tick() is called.
  std::chrono::milliseconds tick{kTick};
};

/// When an entity is saved, beside its end and save_now().
enum class SaveWhen : std::uint8_t {
  interval,      // some time after its first change: many changes cost one save
  every_change,  // in the next tick after each change
  at_end,        // never: a crash takes all changes
};

/// Settings for all entities of a type in this process.
struct TypeOptions {
  /// Other processes may mirror it: a replica::Mirror of its channel, with a PropertiesCopy, has
  /// its ghost properties. Costs a record per change of such a property, mirrored or not.
  bool mirrored = false;
  /// Properties with `save` that the store also gets as values: {"level", "stats.strength"}. A
  /// DbSaver puts them into the document, for indexes. At most kMaxSearchable. If a path is not
  /// such a property, an error is logged when the first entity of the type is activated.
  std::vector<std::string> searchable = {};
  SaveWhen save_when = SaveWhen::interval;
  /// Of SaveWhen::interval: an entity is saved so long after its first change, or earlier by its
  /// own share of kSaveSpread. Not set: HostOptions::save_every.
  std::optional<std::chrono::milliseconds> save_every = {};
  /// Saves also entities that have neither a persistent id of their own nor a channel name: under
  /// an id that no later start of the node uses, so that nothing but a query finds them again.
  bool save_unnamed = false;
  /// Its class cannot be made by its name, as it needs arguments, and so cannot arrive from another
  /// process: that is meant. Otherwise declare() logs it.
  bool stays = false;
};

/// How EntityHost::move goes about work that cannot travel: see docs/guide/entity-hosts.md.
struct MoveOptions {
  /// The time that coroutines of the entity, and calls that it owns, get to end first. 0: none.
  std::chrono::milliseconds wait{kMoveWait};
  /// Coroutines that have not ended by the freeze, and closures of timers(), wait while the entity
  /// is frozen and end with it here, if the move succeeds: counted, and logged. False: the move
  /// ends as busy, at once for closures.
  bool leave_behind = false;
  /// The space that it is in at the target, which it enters there. Not set: the one that it is in.
  std::optional<entity::OnlineId> space = {};
};

}  // namespace starbus::nodes::entities
