/// What entities tell those who watch them: gathered as it changes, told once a tick.
///
/// An entity costs nothing here until something of it changes that somebody watches. Invariant: one
/// that has news for somebody whom this tells is in the list of those that changed, once. Of what
/// nobody here takes (no sink, no mirrors, no saving) the news are left to whoever watches by
/// himself, with Root::flush().
///
/// Belongs to the loop's thread; owns the publishers. The entities, the sink and what it calls
/// outlive it, but for entities, which are forgotten before they go.
#pragma once

#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "entity/objects/entity_manager.hpp"
#include "entity/properties/root.hpp"
#include "nodes/hosting/audience_sink.hpp"
#include "nodes/replica/publisher.hpp"

namespace starbus::nodes::entities {

struct SyncCounters {
  std::uint64_t ticks = 0;      // in which there was something to tell
  std::uint64_t told = 0;       // news of one entity for one audience
  std::uint64_t bytes = 0;      // of these
  std::uint64_t snapshots = 0;  // that were asked for
  std::uint64_t too_large = 0;  // news that no one got: see kMaxState of the properties
};

class EntitySync final : private entity::ChangeListener {
 public:
  struct Users {
    AudienceSink* sink = nullptr;
    /// An entity has changed that is to be saved; not set: nothing is.
    std::function<void(entity::Entity&)> unsaved{};
    /// Called when the first change comes behind a tick: that one is wanted.
    std::function<void()> wanted{};
  };
  explicit EntitySync(Users users) : users_(std::move(users)) {}
  EntitySync(const EntitySync&) = delete;
  EntitySync& operator=(const EntitySync&) = delete;

  /// From now on its changes are noted. `arrived`: whoever watched it where it was is told all.
  void add(entity::Entity& entity, bool arrived);
  /// Its ghost audience is published to whoever mirrors its channel (nodes/replica).
  void mirror(entity::Entity& entity, entity::rpc::Endpoint& endpoint, bus::Epoch epoch);
  /// It may have told others elsewhere, and goes on from where it was before: they are told all.
  void begin_anew(entity::Entity& entity, entity::rpc::Endpoint& endpoint, bus::Epoch epoch);
  /// Tells the sink all that an audience sees, now; watches it, if nobody did.
  entity::DataResult<> show(entity::Entity& entity, entity::Audience audience);

  /// Tells of at most `most` entities, and of one at least. True: there are more.
  bool pass(entity::EntityManager& entities, std::size_t most, const entity::rpc::PassTime& time);
  /// Tells what one has, now.
  void tell(entity::Entity& entity);
  /// It goes: its mirrors are told no more.
  void forget(entity::Entity& entity) { publishers_.erase(id_of(entity)); }

  bool idle() const { return changed_.empty(); }
  std::size_t mirrored() const { return publishers_.size(); }
  const replica::Publisher* publisher(const entity::Entity& entity) const;
  const SyncCounters& counters() const { return counters_; }

 private:
  // ChangeListener
  void changed(std::uint64_t tag) override;

  static std::uint64_t id_of(const entity::Entity& entity) {
    return static_cast<std::uint64_t>(entity.online_id());
  }
  void tell_one(entity::Entity& entity, entity::Root& properties, entity::Audience audience);

  const Users users_;
  std::vector<std::uint64_t> changed_;  // online ids, in the order of their first change
  std::size_t next_ = 0;                // of these, when a pass has left some
  std::unordered_map<std::uint64_t, std::unique_ptr<replica::Publisher>> publishers_;
  SyncCounters counters_;
};

}  // namespace starbus::nodes::entities
