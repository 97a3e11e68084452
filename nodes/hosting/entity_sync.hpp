/// Sends property changes of entities to their watchers: collected as they happen, sent once a
/// tick.
///
/// An entity costs nothing here until a watched property changes. Invariant: an entity with unsent
/// changes is listed once, among those of this tick or those of the next one, so no list is longer
/// than there are entities. A tick tells what had changed when it began: what changes during it
/// waits for the next one. Changes that nothing here receives (no sink, no mirrors) are
/// left to a caller of Root::flush().
///
/// Belongs to the loop's thread; owns the publishers. The sink outlives it; entities are forgotten
/// before they are destroyed.
#pragma once

#include <functional>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "entity/objects/entity_manager.hpp"
#include "entity/properties/root.hpp"
#include "nodes/hosting/audience_sink.hpp"
#include "nodes/hosting/snapshot_cache.hpp"
#include "nodes/replica/publisher.hpp"

namespace starbus::nodes::entities {

struct SyncCounters {
  std::uint64_t ticks = 0;      // ticks with changes
  std::uint64_t told = 0;       // updates of one entity for one audience
  std::uint64_t bytes = 0;      // of the updates
  std::uint64_t snapshots = 0;  // requested by watch
  std::uint64_t since = 0;      // changes since a version, requested by watch and by mirrors
  std::uint64_t too_large = 0;  // updates that were not sent: see kMaxState of the properties
};

class EntitySync final : private entity::ChangeListener {
 public:
  struct Users {
    AudienceSink* sink = nullptr;
    /// Tells the client that plays an entity; false: no client does. Not set: none ever does.
    std::function<bool(entity::Entity&, entity::Root&)> client{};
    /// Called when an entity begins to be told of, and within the first write of a saved property
    /// after a save (Root::await_unsaved), with its online id. Not set: nothing is saved.
    std::function<void(std::uint64_t id)> unsaved{};
    /// Called on the first change after a tick; schedules the next tick.
    std::function<void()> wanted{};
  };
  explicit EntitySync(Users users) : users_(std::move(users)) {}
  EntitySync(const EntitySync&) = delete;
  EntitySync& operator=(const EntitySync&) = delete;

  /// Begins to collect changes. `arrived`: what did not travel is told to watchers from its former
  /// process, or its whole state unless the sink knows that they go on.
  void add(entity::Entity& entity, bool arrived);
  /// Publishes its ghost audience to the mirrors of its channel (nodes/replica).
  void mirror(entity::Entity& entity, entity::rpc::Endpoint& endpoint, bus::Epoch epoch);
  /// It may have sent changes from another process, and was rolled back: watchers get its whole
  /// state.
  void begin_anew(entity::Entity& entity, entity::rpc::Endpoint& endpoint, bus::Epoch epoch);
  /// Sends the sink the whole state of an audience now, or what has changed since a version if that
  /// is known, and begins to watch it.
  entity::DataResult<> show(entity::Entity& entity, entity::Audience audience,
                            const entity::Version& since = {});

  /// Goes on with the present tick, or begins one: sends the changes of at most `most` entities,
  /// and of at least one. True if the tick has more.
  bool pass(entity::EntityManager& entities, std::size_t most, const entity::rpc::PassTime& time);
  /// Sends the changes of one entity now.
  void tell(entity::Entity& entity);
  /// Its move was given up: what it has not told follows in the next tick.
  void goes_on(const entity::Entity& entity) { changed(id_of(entity)); }
  /// It ends: its mirrors get no more changes.
  void forget(entity::Entity& entity);

  bool idle() const { return telling_.empty() && changed_.empty(); }
  /// Entities whose changes wait: those of this tick, and those of the next one.
  std::size_t waiting() const { return telling_.size() - next_ + changed_.size(); }
  std::size_t mirrored() const { return publishers_.size(); }
  /// Null if it has no mirrors.
  const replica::Publisher* publisher(const entity::Entity& entity) const;
  const SyncCounters& counters() const { return counters_; }
  const SnapshotCache& snapshots() const { return snapshots_; }

 private:
  // ChangeListener
  void changed(std::uint64_t tag) override;
  void unsaved(std::uint64_t tag) override {
    if (users_.unsaved) users_.unsaved(tag);
  }

  static std::uint64_t id_of(const entity::Entity& entity) {
    return static_cast<std::uint64_t>(entity.online_id());
  }
  void arrived(entity::Entity& entity, entity::Root& properties);
  bus::Bytes state_for_mirrors(std::uint64_t id, entity::Root& properties, bus::ByteView have);
  void tell_one(entity::Entity& entity, entity::Root& properties, entity::Audience audience);

  const Users users_;
  std::vector<std::uint64_t>
      telling_;           // online ids of this tick, in the order of their first change
  std::size_t next_ = 0;  // of these, when a pass has left some
  std::vector<std::uint64_t> changed_;       // since this tick began: for the next one
  std::unordered_set<std::uint64_t> ended_;  // of those, entities that have ended
  std::unordered_map<std::uint64_t, std::unique_ptr<replica::Publisher>> publishers_;
  SnapshotCache snapshots_;
  SyncCounters counters_;
};

}  // namespace starbus::nodes::entities
