/// Decides when which entity of a node is saved, and what is written of it. EntitySaves below it
/// hands the saves to the store.
///
/// Belongs to the loop's thread; the context, the names and the sync outlive it.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
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

  /// A saved property of this entity has changed, or it has got a name. Within the write.
  void mark(std::uint64_t id);
  /// Has it properties that are saved, and a name to find them by? See TypeOptions::save_unnamed.
  bool saves(entity::Entity& entity) const;
  /// The first of a type shows whether it is saved; logs an error if its searchable paths are
  /// wrong.
  void learn_type(entity::Entity& entity);

  /// Saves its present state.
  void save(entity::Entity& entity, Done done);
  /// The same for one that ends here: its state is kept until it is stored, or refused for good;
  /// then `names` are unbound.
  void save_last(entity::Entity& entity, std::vector<std::string> names);
  /// Likewise, but what is stored of it is erased.
  void erase(entity::Entity& entity, std::vector<std::string> names);
  /// Saves it if it has changed. Completes when it is stored; not_bound: it is never saved.
  void save_now(entity::Entity& entity, Done done);
  /// Saves entities whose time has come, within the limits of one tick.
  void save_due();
  /// It has come back from a move, and is in doubt: it is saved in the next tick, whatever its
  /// policy is, to know whether another owner has stored a later state meanwhile.
  void come_back(entity::Entity& entity);
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

  /// Why no entity of this type may be made or published now: `busy` if it is saved, and too many
  /// that have ended wait to be stored. `named`: it has a persistent id of its own, or gets a name.
  bus::Result<> admits(const entity::TypeInfo& type, bool named) const;
  /// Entities that have ended and are not stored.
  std::size_t ended() const { return saves_.ended(); }
  std::vector<UnsavedEnd> unsaved_ends(std::size_t most) const { return saves_.unsaved_ends(most); }
  /// The node ends: logs what is not stored, one line for each of the oldest kNamedUnsaved.
  void report_lost() const;

 private:
  enum class Why { changed, failed };
  entity::Time due_time(std::uint64_t id, const entity::Entity* entity, Why why) const;
  bool has_saved_fields(entity::Entity& entity) const;
  SavedEntity head_of(const entity::Entity& entity);
  Done at_last(std::uint64_t id, std::vector<std::string> names);
  /// Nothing if it cannot be encoded, which is logged.
  std::optional<SavedEntity> encode(entity::Entity& entity);
  void on_saved(std::uint64_t id, const bus::Result<>& result, bool doubted);
  void overtaken(entity::Entity& entity);

  HostContext& context_;
  PublishedNames& names_;
  const bool enabled_;
  const entity::Time save_every_;  // of the host
  EntitySaves saves_;
  UnsavedList unsaved_;
  std::unordered_map<const entity::TypeInfo*, bool> saved_types_;  // that had an entity
  std::uint64_t version_;                                          // of the latest save
};

}  // namespace starbus::nodes::entities
