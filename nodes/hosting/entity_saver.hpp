/// Decides when which entity of a node is saved, and what is written of it. EntitySaves below it
/// hands the saves to the store.
///
/// Belongs to the loop's thread; the context, the names and the sync outlive it.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "nodes/hosting/entity_saves.hpp"
#include "nodes/hosting/entity_sync.hpp"
#include "nodes/hosting/host_context.hpp"
#include "nodes/hosting/published_names.hpp"
#include "nodes/hosting/unsaved_list.hpp"

namespace starbus::nodes::entities {

class EntitySaver {
 public:
  EntitySaver(HostContext& context, PublishedNames& names, const HostOptions& options);

  /// A saved property of it has changed.
  void mark(const entity::Entity& entity);
  /// Has it properties that are saved?
  bool saves(entity::Entity& entity) const;
  /// Logs an error if the searchable paths of its type are wrong; once per type.
  void check_searchable(entity::Entity& entity);

  /// Saves its present state. Then, or if that failed, unbinds `names`.
  void save(entity::Entity& entity, std::vector<std::string> names, Done done);
  /// Saves it if it has changed. Completes when it is stored; not_bound: it is never saved.
  void save_now(entity::Entity& entity, EntitySync& sync, Done done);
  /// Saves entities whose time has come, within the limits of one tick.
  void save_due();
  /// It ended, or moved away. True if its present state is not stored yet.
  bool take_unsaved(const entity::Entity& entity);

  bool unsaved(std::uint64_t id) const { return unsaved_.has(id); }
  /// Whether a save of it has not ended yet.
  bool under_way(const entity::Entity& entity) const;
  /// False: as many saves as allowed are under way.
  bool room() const { return saves_.room(); }
  bool idle() const { return saves_.empty(); }
  std::string waits_for() const { return saves_.waits_for(); }
  /// Entities whose present state is not stored.
  std::size_t pending() const { return unsaved_.size() + saves_.size(); }

 private:
  void on_saved(std::uint64_t id, const std::vector<std::string>& names, bool stored);

  HostContext& context_;
  PublishedNames& names_;
  const bool enabled_;
  const std::chrono::milliseconds save_every_;
  EntitySaves saves_;
  UnsavedList unsaved_;
  std::unordered_set<const entity::TypeInfo*> checked_types_;
  std::uint64_t version_;  // of the latest save
};

}  // namespace starbus::nodes::entities
