/// The channel names of a node's entities: which entity owns names, since which epoch, and whether
/// the lease on them is lost. An entity without names loses nothing with the lease.
///
/// Belongs to the loop's thread; the context outlives it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "bus/client/bus.hpp"
#include "nodes/hosting/entity_sync.hpp"
#include "nodes/hosting/host_context.hpp"
#include "nodes/runtime/steps.hpp"

namespace starbus::nodes::entities {

class PublishedNames {
 public:
  PublishedNames(HostContext& context, EntitySync& sync) : context_(context), sync_(sync) {}

  /// Binds a name to an entity. Errors: those of Endpoint::bind; not_bound if the entity has ended,
  /// busy if it is frozen for a move.
  void publish(entity::OnlineId id, std::string name, Done done);
  /// An entity has arrived with a name that it owns since `epoch`.
  void add_owned(entity::Entity& entity, bus::Epoch epoch);
  /// An entity that was never activated is about to be saved: only its epoch counts.
  void set_epoch(std::uint64_t id, bus::Epoch epoch) { raise(rows_[id], epoch); }
  /// A move that failed has given its name a newer epoch.
  void raise_epoch(std::uint64_t id, bus::Epoch epoch);
  /// Its move was rolled back: what is here has come from what owners up to its epoch of now have
  /// left, until its state is stored. Before raise_epoch().
  void doubt(std::uint64_t id);
  /// It is stored under its present epoch.
  void settle(std::uint64_t id);
  /// That epoch, while it is in doubt: SavedEntity::after.
  std::optional<std::uint64_t> doubt_since(std::uint64_t id) const;

  /// The lease is lost: the online ids of the entities that were not fenced yet, in order.
  std::vector<std::uint64_t> fence_all();
  /// An entity ends: its names stay bound, without the entity, until `release`.
  void retire(entity::Entity& entity);
  /// Returns the names that `retire` kept bound.
  std::vector<std::string> take_retired(std::uint64_t id);
  void forget(std::uint64_t id);
  void release(const std::vector<std::string>& names);
  /// Which lease it is, counted from 0: names of an earlier one are not ours to release.
  std::uint64_t lease() const { return lease_; }

  bool has(std::uint64_t id) const { return rows_.contains(id); }
  /// Whether its names were lost with the lease.
  bool fenced(std::uint64_t id) const;
  /// Number of names that it has or has asked for.
  std::size_t names_of(std::uint64_t id) const;
  /// The epoch of its latest name; 0 without one.
  std::uint64_t epoch_of(std::uint64_t id) const;
  /// The entity that is bound at a name in this process; null if there is none.
  entity::Entity* find(const std::string& name) const;
  /// Entities that own a name, so that others reach them; and those that have only asked for one.
  std::size_t published() const { return published_; }
  std::size_t asking() const { return rows_.size() - published_; }

 private:
  struct Row {
    std::size_t names = 0;                 // that it has, or has asked for
    bool fenced = false;                   // the names are lost
    std::uint64_t epoch = 0;               // of the latest name; 0: it has asked for one
    std::optional<std::uint64_t> doubt{};  // see doubt()
    std::vector<std::string> retired;      // unbound when the entity is saved
  };
  void on_bound(entity::OnlineId id, const bus::Result<bus::Bound>& bound);
  void own(entity::Entity& entity, bus::Epoch epoch);
  void raise(Row& row, bus::Epoch epoch);

  HostContext& context_;
  EntitySync& sync_;
  std::unordered_map<std::uint64_t, Row> rows_;  // by online id
  std::size_t published_ = 0;                    // of these, with an epoch
  std::uint64_t lease_ = 0;
};

}  // namespace starbus::nodes::entities
