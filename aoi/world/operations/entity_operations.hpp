/// The work of World::add, remove, move, set_flags and set_weight: checks, then does it
/// now or, while handlers run, later. Belongs to the world's thread. Owns nothing. Errors are those
/// that world.hpp names.
#pragma once

#include "aoi/check.hpp"
#include "aoi/index/index.hpp"
#include "aoi/select/symmetric.hpp"
#include "aoi/world/deferred.hpp"
#include "aoi/world/removals.hpp"

namespace starbus::aoi {

class EntityOperations {
 public:
  EntityOperations(Tables& tables, Index& index, SymmetricLists& lists, Interest& interest,
                   FlagChanges& flags, Removals& removals, Deferred& deferred)
      : tables_(tables),
        index_(index),
        lists_(lists),
        interest_(interest),
        flags_(flags),
        removals_(removals),
        deferred_(deferred) {}

  /// As in World.
  Result<EntityId> add(const EntityOptions& of);
  Result<> remove(EntityId id);
  /// In the header, because it is called for each entity in each tick.
  Result<> move(EntityId id, Position to) {
    if (!ordinary(to) && !finite(to)) [[unlikely]]
      return Errc::bad_position;
    if (!tables_.entity_ids.valid(id.value)) return Errc::unknown_entity;
    if (deferred_.active()) [[unlikely]]
      return move_later(id, to);
    do_move(id.index(), clamped(to));
    return {};
  }
  Result<> set_flags(EntityId id, std::uint64_t flags);
  Result<> set_weight(EntityId id, float weight);

 private:
  void do_add(EntityId id, const EntityOptions& of);
  void do_move(EntityIndex entity, Position at) {
    Spot& spot = tables_.scene.spots[entity];
    if (spot.at == at) return;
    spot.at = at;
    index_.move(entity);
    if (lists_.joined(entity)) lists_.moved(entity);
  }
  Result<> move_later(EntityId id, Position to);
  void do_set_flags(EntityIndex entity, std::uint64_t flags);
  void fetch_upcoming() const;

  Tables& tables_;
  Index& index_;
  SymmetricLists& lists_;
  Interest& interest_;
  FlagChanges& flags_;
  Removals& removals_;
  Deferred& deferred_;
};

}  // namespace starbus::aoi
