// Members, when they search, and the links between them.
#include "aoi/select/symmetric.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdlib>

namespace starbus::aoi {

SymmetricLists::SymmetricLists(const Scene& scene, const SymmetricOptions& options)
    : scene_(scene), options_(options) {}

SymmetricLists::Key SymmetricLists::key_of(std::int32_t x, std::int32_t y) {
  return std::uint64_t{static_cast<std::uint32_t>(x)} << 32 | static_cast<std::uint32_t>(y);
}

std::int32_t SymmetricLists::cell_of(float at) const {
  return static_cast<std::int32_t>(std::floor(double{at} / double{options_.cell}));
}

std::int32_t SymmetricLists::search_cell_of(float at) const {
  return static_cast<std::int32_t>(std::floor(double{at} / double{options_.search_cell}));
}

void SymmetricLists::join(EntityIndex entity, SensorIndex sensor) {
  assert(!joined(entity));
  if (members_.size() <= entity) members_.resize(scene_.spots.size());
  if (marks_.size() < members_.size()) {
    marks_.resize(members_.size());
    marked_.resize(members_.size());
  }
  members_[entity] = {};
  members_[entity].sensor = sensor;
  place(entity);
  want_search(entity);
}

void SymmetricLists::leave(EntityIndex entity) {
  assert(joined(entity));
  while (!members_[entity].list.empty()) unlink(entity, members_[entity].list.back());
  unplace(entity);
  std::erase(due_, entity);
  std::erase(changed_, entity);
  std::erase(all_, entity);
  members_[entity] = {};
}

void SymmetricLists::place(EntityIndex entity) {
  Member& member = members_[entity];
  const Position& at = scene_.spots[entity].at;
  member.cell_x = cell_of(at.x);
  member.cell_y = cell_of(at.y);
  member.search_x = search_cell_of(at.x);
  member.search_y = search_cell_of(at.y);
  cells_[key_of(member.cell_x, member.cell_y)].push_back(entity);
  all_.push_back(entity);
}

void SymmetricLists::unplace(EntityIndex entity) {
  const auto cell = cells_.find(key_of(members_[entity].cell_x, members_[entity].cell_y));
  std::erase(cell->second, entity);
  if (cell->second.empty()) cells_.erase(cell);
}

void SymmetricLists::moved(EntityIndex entity) {
  Member& member = members_[entity];
  const Position& at = scene_.spots[entity].at;
  const std::int32_t search_x = search_cell_of(at.x);
  const std::int32_t search_y = search_cell_of(at.y);
  const std::int32_t cell_x = cell_of(at.x);
  const std::int32_t cell_y = cell_of(at.y);
  if (cell_x != member.cell_x || cell_y != member.cell_y) {
    unplace(entity);
    member.cell_x = cell_x;
    member.cell_y = cell_y;
    cells_[key_of(cell_x, cell_y)].push_back(entity);
    want_search(entity);
  }
  if (search_x == member.search_x && search_y == member.search_y) return;
  member.search_x = search_x;
  member.search_y = search_y;
  want_search(entity);
}

void SymmetricLists::recheck(EntityIndex entity) {
  if (joined(entity)) want_search(entity);
}

void SymmetricLists::want_search(EntityIndex entity) {
  if (members_[entity].due) return;
  members_[entity].due = true;
  members_[entity].waited = 0;
  due_.push_back(entity);
}

void SymmetricLists::set_special(EntityIndex a, EntityIndex b, bool on) {
  if (special(a, b) == on) return;
  if (on) {
    specials_[a].push_back(b);
    specials_[b].push_back(a);
  } else {
    std::erase(specials_[a], b);
    std::erase(specials_[b], a);
  }
  recheck(a);
  recheck(b);
}

bool SymmetricLists::special(EntityIndex a, EntityIndex b) const {
  const auto of = specials_.find(a);
  return of != specials_.end() &&
         std::find(of->second.begin(), of->second.end(), b) != of->second.end();
}

std::size_t SymmetricLists::specials(EntityIndex entity) const {
  const auto of = specials_.find(entity);
  return of == specials_.end() ? 0 : of->second.size();
}

void SymmetricLists::forget(EntityIndex entity) {
  const auto of = specials_.find(entity);
  if (of == specials_.end()) return;
  for (const EntityIndex other : of->second) std::erase(specials_[other], entity);
  specials_.erase(entity);
}

SymmetricLists::Searches SymmetricLists::update(std::uint64_t tests, std::uint32_t max_wait) {
  ++update_;
  for (std::size_t i = 0; i < all_.size() / options_.refresh + 1 && !all_.empty(); ++i) {
    refresh_at_ = refresh_at_ + 1 < all_.size() ? refresh_at_ + 1 : 0;
    want_search(all_[refresh_at_]);
  }
  std::sort(due_.begin(), due_.end(), [this](EntityIndex a, EntityIndex b) {
    const std::uint32_t first = members_[a].waited;
    const std::uint32_t second = members_[b].waited;
    return first != second ? first > second : a < b;
  });
  Searches searches;
  std::vector<EntityIndex> later;
  for (const EntityIndex entity : due_) {
    Member& member = members_[entity];
    const bool full = tests != 0 && searches.tests >= tests;
    if (full && member.waited < max_wait) {
      searches.staleness = std::max(searches.staleness, ++member.waited);
      later.push_back(entity);
      continue;
    }
    if (full) ++searches.overdue;
    member.due = false;
    ++searches.done;
    searches.tests += search(entity);
  }
  due_.swap(later);
  return searches;
}

void SymmetricLists::settle() {
  for (const EntityIndex entity : changed_) members_[entity].changed = false;
  changed_.clear();
}

bool SymmetricLists::in_block(EntityIndex a, EntityIndex b) const {
  return std::abs(members_[a].cell_x - members_[b].cell_x) <= kBlockReach &&
         std::abs(members_[a].cell_y - members_[b].cell_y) <= kBlockReach;
}

bool SymmetricLists::contains(EntityIndex a, EntityIndex b) const {
  const auto& list = members_[a].list;
  return std::find(list.begin(), list.end(), b) != list.end();
}

void SymmetricLists::link(EntityIndex a, EntityIndex b) {
  members_[a].list.push_back(b);
  members_[b].list.push_back(a);
  assert(members_[a].list.size() <= options_.capacity);
  assert(members_[b].list.size() <= options_.capacity);
  note_change(a);
  note_change(b);
}

void SymmetricLists::unlink(EntityIndex a, EntityIndex b) {
  for (const auto& [owner, other] : {std::pair{a, b}, std::pair{b, a}}) {
    auto& list = members_[owner].list;
    const auto at = std::find(list.begin(), list.end(), other);
    assert(at != list.end());
    list.erase(at);
    note_change(owner);
  }
}

void SymmetricLists::note_change(EntityIndex entity) {
  Member& member = members_[entity];
  member.farthest_of = 0;
  if (member.changed) return;
  member.changed = true;
  changed_.push_back(entity);
}

std::uint64_t SymmetricLists::memory() const {
  std::uint64_t bytes = members_.capacity() * sizeof(Member) + marks_.capacity() * 2;
  for (const Member& member : members_) bytes += member.list.capacity() * sizeof(EntityIndex);
  for (const auto& [key, list] : cells_) bytes += 32 + list.capacity() * sizeof(EntityIndex);
  return bytes;
}

}  // namespace starbus::aoi
