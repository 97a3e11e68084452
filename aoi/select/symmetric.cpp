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

// Names of it that are left in due_ and changed_ are skipped there.
void SymmetricLists::leave(EntityIndex entity) {
  assert(joined(entity));
  Member& member = members_[entity];
  while (!member.list.empty()) unlink(entity, member.list.back());
  unplace(entity);
  std::uint32_t at = member.at_all;
  const auto move_to = [this](std::uint32_t to, EntityIndex other) {
    all_[to] = other;
    members_[other].at_all = to;
  };
  if (at < refreshed_) {  // so that the others keep on which side of refreshed_ they are
    move_to(at, all_[--refreshed_]);
    at = refreshed_;
  }
  if (at + 1 != all_.size()) move_to(at, all_.back());
  all_.pop_back();
  member = {};
}

void SymmetricLists::adopt(EntityIndex entity, EntityIndex other) {
  if (entity == other || !joined(entity) || !joined(other) || !in_block(entity, other)) return;
  if (!mutual(entity, other) || contains(entity, other)) return;
  if (is_full(entity) || is_full(other)) return;
  link(entity, other);
}

void SymmetricLists::search_first(EntityIndex entity) {
  want_search(entity);
  members_[entity].waited = kMaxStaleness;
}

void SymmetricLists::place(EntityIndex entity) {
  Member& member = members_[entity];
  const Position& at = scene_.spots[entity].at;
  member.cell_x = cell_of(at.x);
  member.cell_y = cell_of(at.y);
  member.search_x = search_cell_of(at.x);
  member.search_y = search_cell_of(at.y);
  put_into_cell(entity);
  member.at_all = static_cast<std::uint32_t>(all_.size());
  all_.push_back(entity);
}

void SymmetricLists::put_into_cell(EntityIndex entity) {
  Member& member = members_[entity];
  auto& cell = cells_[key_of(member.cell_x, member.cell_y)];
  member.at_cell = static_cast<std::uint32_t>(cell.size());
  cell.push_back(entity);
}

void SymmetricLists::unplace(EntityIndex entity) {
  const Member& member = members_[entity];
  const auto cell = cells_.find(key_of(member.cell_x, member.cell_y));
  const EntityIndex last = cell->second.back();
  cell->second[member.at_cell] = last;
  members_[last].at_cell = member.at_cell;
  cell->second.pop_back();
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
    put_into_cell(entity);
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
  if (specials_.empty()) return false;
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
    if (refreshed_ >= all_.size()) refreshed_ = 0;
    want_search(all_[refreshed_++]);
  }
  // Those that have left are in it, perhaps twice if they have joined again.
  std::erase_if(due_, [this](EntityIndex one) { return !members_[one].due; });
  std::sort(due_.begin(), due_.end(), [this](EntityIndex a, EntityIndex b) {
    const std::uint32_t first = members_[a].waited;
    const std::uint32_t second = members_[b].waited;
    return first != second ? first > second : a < b;
  });
  due_.erase(std::unique(due_.begin(), due_.end()), due_.end());
  Searches searches;
  searching_.swap(due_);  // searches make others want one
  due_.clear();
  for (const EntityIndex entity : searching_) {
    Member& member = members_[entity];
    const bool full = tests != 0 && searches.tests >= tests;
    if (full && member.waited < max_wait) {
      searches.staleness = std::max(searches.staleness, ++member.waited);
      due_.push_back(entity);
      continue;
    }
    if (full) ++searches.overdue;
    member.due = false;
    ++searches.done;
    searches.tests += search(entity);
  }
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
    if (is_poor(owner)) want_search(owner);
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
  std::uint64_t bytes =
      members_.capacity() * sizeof(Member) + marks_.capacity() * 2 +
      (candidates_.capacity() + ranked_.capacity()) * sizeof(Candidate) +
      (all_.capacity() + due_.capacity() + changed_.capacity()) * sizeof(EntityIndex);
  for (const Member& member : members_) bytes += member.list.capacity() * sizeof(EntityIndex);
  for (const auto& [key, list] : cells_) bytes += 32 + list.capacity() * sizeof(EntityIndex);
  return bytes;
}

}  // namespace starbus::aoi
