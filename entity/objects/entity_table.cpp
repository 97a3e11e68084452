#include "entity/objects/entity_table.hpp"

#include <algorithm>
#include <cassert>

namespace starbus::entity {

EntityRow& EntityTable::row_of(const TypeInfo& type, EntityManager& home) {
  const auto [found, is_new] = row_by_type_.emplace(&type, nullptr);
  if (is_new) found->second = &rows_.emplace_back(EntityRow{&type, &home});
  return *found->second;
}

Entity* EntityTable::any(OnlineId id) const {
  const auto found = by_online_.find(static_cast<std::uint64_t>(id));
  return found == by_online_.end() ? nullptr : found->second;
}

Entity* EntityTable::find_here(std::string_view id) const {
  if (const auto found = by_name_.find(id); found != by_name_.end()) {
    return alive_or_frozen(found->second);
  }
  const auto made_from = names_.read(id);
  if (!made_from) return nullptr;
  Entity* entity = find_here(*made_from);
  // An entity that was given another name does not have this one.
  return entity != nullptr && entity->persistent_id() == id ? entity : nullptr;
}

EntityResult<> EntityTable::add(Entity& entity, const std::string& persistent_id) {
  thread_.check();
  if (!by_online_.emplace(static_cast<std::uint64_t>(entity.online_), &entity).second) {
    return EntityErrc::duplicate_id;
  }
  // An id that equals the one made from the online id needs no row.
  if (!persistent_id.empty() && !names_.read(persistent_id)) {
    if (!by_name_.emplace(persistent_id, &entity).second) {
      by_online_.erase(static_cast<std::uint64_t>(entity.online_));
      return EntityErrc::duplicate_id;
    }
    entity.more().persistent_id = persistent_id;
  }
  slots_.fill(slots_.id_at(entity.slot_), entity);
  entity.place_ = static_cast<std::uint32_t>(entity.row_->slots.size());
  entity.row_->slots.push_back(entity.slot_);
  return {};
}

void EntityTable::remove(Entity& entity) {
  thread_.check();
  by_online_.erase(static_cast<std::uint64_t>(entity.online_));
  if (entity.more_if() != nullptr && !entity.more().persistent_id.empty()) {
    by_name_.erase(entity.more().persistent_id);
  }
  EntityRow& row = *entity.row_;
  assert(row.slots[entity.place_] == entity.slot_);
  row.slots[entity.place_] = 0;
  ++row.gone;
  compact(row);
  slots_.erase(slots_.id_at(entity.slot_));
}

/// Keeps the order.
void EntityTable::compact(EntityRow& row) {
  if (row.walks != 0 || row.gone < 64 || row.gone * 2 < row.slots.size()) return;
  std::uint32_t place = 0;
  for (const std::uint32_t slot : row.slots) {
    if (slot == 0) continue;
    slots_.at(slot)->place_ = place;
    row.slots[place++] = slot;
  }
  row.slots.resize(place);
  row.gone = 0;
}

Entity* EntityTable::find_prepared(OnlineId id) const {
  return std::ranges::find(prepared_, id) == prepared_.end() ? nullptr : any(id);
}

Entity* EntityTable::take_prepared(OnlineId id) {
  thread_.check();
  Entity* const entity = find_prepared(id);
  std::erase(prepared_, id);
  return entity;
}

}  // namespace starbus::entity
