/// The entities of one manager, found by each of their ids and walked by type.
///
/// Belongs to the loop's thread (checked). Owns the rows of the types, and no entities: its manager
/// makes and destroys them. An entity is listed from the end of its construction to its
/// destruction.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/loop_thread.hpp"
#include "entity/objects/entity.hpp"

namespace starbus::entity {

class EntityTable {
 public:
  explicit EntityTable(PersistentIdSource names) : names_(std::move(names)) {}
  EntityTable(const EntityTable&) = delete;
  EntityTable& operator=(const EntityTable&) = delete;

  const PersistentIdSource& names() const { return names_; }
  /// All that are listed, in whatever state.
  std::size_t size() const { return slots_.size(); }
  const std::deque<EntityRow>& rows() const { return rows_; }
  bool has_row(const TypeInfo& type) const { return row_by_type_.contains(&type); }
  /// Makes it at first. References stay valid.
  EntityRow& row_of(const TypeInfo& type, EntityManager& home);

  bool has_online_id(OnlineId id) const { return any(id) != nullptr; }
  bool has_given_name(std::string_view id) const { return by_name_.contains(id); }
  // Null if there is none, or it is not alive.
  Entity* find(LocalId id) const { return alive(slots_.find(id)); }
  Entity* find(OnlineId id) const { return alive(any(id)); }
  Entity* find_persistent(std::string_view id) const { return alive(find_here(id)); }
  /// A copy of one that lives elsewhere; null: there is none.
  Entity* find_ghost(OnlineId id) const {
    Entity* const found = any(id);
    return found != nullptr && found->life() == EntityState::ghost_copy ? found : nullptr;
  }
  // The same as find(), and frozen ones.
  Entity* find_here(OnlineId id) const { return alive_or_frozen(any(id)); }
  Entity* find_here(std::string_view persistent_id) const;
  /// Null if there is none; in whatever state.
  Entity* listed(LocalId id) const { return slots_.find(id); }
  /// Requires an entity there; in whatever state.
  Entity* at(std::uint32_t slot) const { return slots_.at(slot); }
  LocalId local_id(std::uint32_t slot) const { return slots_.id_at(slot); }

  /// A place for an entity that does not exist yet. Error: too_many_objects.
  IdentityResult<LocalId> reserve() { return slots_.reserve(); }
  void give_back(LocalId id) { slots_.give_back(id); }
  /// Lists it at its reserved place, under its ids. Error: duplicate_id; nothing was changed then.
  EntityResult<> add(Entity& entity, const std::string& persistent_id);
  /// Takes it off all ids; the caller destroys it.
  void remove(Entity& entity);

  enum class Among : std::uint8_t { alive, frozen_too, ghosts_too };
  /// visit(Entity&) for each entity among these, of the rows for which `of` is true, in the order
  /// of the rows, the oldest first. Entities may be added meanwhile.
  template <class Of, class Visit>
  void walk(Of&& of, Among among, Visit&& visit);

  // Entities that came from another process and are not activated yet.
  void add_prepared(OnlineId id) { prepared_.push_back(id); }
  const std::vector<OnlineId>& prepared() const { return prepared_; }
  Entity* find_prepared(OnlineId id) const;
  /// Also takes it off the list.
  Entity* take_prepared(OnlineId id);

 private:
  static Entity* alive(Entity* entity) {
    return entity != nullptr && entity->life() == EntityState::alive ? entity : nullptr;
  }
  static Entity* alive_or_frozen(Entity* entity) {
    const bool frozen = entity != nullptr && entity->life() == EntityState::frozen;
    return frozen ? entity : alive(entity);
  }
  Entity* any(OnlineId id) const;
  void compact(EntityRow& row);

  const PersistentIdSource names_;
  SlotTable<Entity> slots_;
  std::deque<EntityRow> rows_;
  boost::unordered_flat_map<const TypeInfo*, EntityRow*> row_by_type_;
  boost::unordered_flat_map<std::uint64_t, Entity*> by_online_;
  std::map<std::string, Entity*, std::less<>> by_name_;  // those that were given one
  std::vector<OnlineId> prepared_;
  LoopThread thread_;
};

template <class Of, class Visit>
void EntityTable::walk(Of&& of, Among among, Visit&& visit) {
  thread_.check();
  const std::size_t rows = rows_.size();
  for (std::size_t r = 0; r < rows; ++r) {
    EntityRow& row = rows_[r];
    if (!of(row)) continue;
    struct Walk {
      explicit Walk(EntityRow& of_row) : walked(of_row) { ++walked.walks; }
      ~Walk() { --walked.walks; }
      Walk(const Walk&) = delete;
      Walk& operator=(const Walk&) = delete;
      EntityRow& walked;
    };
    const Walk walk(row);
    const std::size_t end = row.slots.size();
    for (std::size_t i = 0; i < end; ++i) {
      if (row.slots[i] == 0) continue;
      Entity* const there = slots_.at(row.slots[i]);
      const EntityState life = there->life();
      const bool visited = life == EntityState::alive ||
                           (among != Among::alive && life == EntityState::frozen) ||
                           (among == Among::ghosts_too && life == EntityState::ghost_copy);
      if (visited) visit(*there);
    }
  }
}

}  // namespace starbus::entity
