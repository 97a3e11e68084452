#include "aoi/symmetric.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace starbus::aoi {
namespace {

constexpr int kBlockReach = 2;  // cells on each side of one's own

// Nearest first, seen from the middle of one quarter of the centre cell.
std::array<CellOffset, kBlockCells> make_order(std::size_t quarter) {
  std::array<CellOffset, kBlockCells> order{};
  std::size_t count = 0;
  for (int y = -kBlockReach; y <= kBlockReach; ++y) {
    for (int x = -kBlockReach; x <= kBlockReach; ++x) order.at(count++) = {x, y};
  }
  // In quarters of a cell, so that all is in integers.
  const int from_x = quarter % 2 == 0 ? -1 : 1;
  const int from_y = quarter / 2 == 0 ? -1 : 1;
  const auto rank = [&](const CellOffset& at) {
    const bool outer = std::abs(at.x) == kBlockReach || std::abs(at.y) == kBlockReach;
    const int dx = 4 * at.x - from_x;
    const int dy = 4 * at.y - from_y;
    return (outer ? 1'000'000 : 0) + dx * dx + dy * dy;
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](const CellOffset& a, const CellOffset& b) { return rank(a) < rank(b); });
  return order;
}

}  // namespace

float approximate_distance(float dx, float dy) {
  const float x = std::fabs(dx);
  const float y = std::fabs(dy);
  return x > y ? x + y / 2 : y + x / 2;
}

const std::array<CellOffset, kBlockCells>& cell_order(std::size_t quarter) {
  static const std::array<std::array<CellOffset, kBlockCells>, 4> orders = {
      make_order(0), make_order(1), make_order(2), make_order(3)};
  return orders.at(quarter);
}

void difference_by_marks(std::span<const EntityIndex> current, std::span<const EntityIndex> view,
                         std::vector<std::uint8_t>& marks, std::vector<EntityIndex>& enters,
                         std::vector<EntityIndex>& leaves) {
  for (const EntityIndex one : current) marks[one] = 1;
  for (const EntityIndex one : view) {
    if (marks[one] == 1) {
      marks[one] = 2;
    } else {
      enters.push_back(one);
    }
  }
  for (const EntityIndex one : current) {
    if (marks[one] == 1) leaves.push_back(one);
    marks[one] = 0;
  }
}

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

std::uint64_t SymmetricLists::update(std::uint64_t tests, std::uint32_t max_wait) {
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
  std::uint64_t done = 0;
  std::vector<EntityIndex> later;
  for (const EntityIndex entity : due_) {
    Member& member = members_[entity];
    if (tests != 0 && done >= tests && member.waited < max_wait) {
      ++member.waited;
      later.push_back(entity);
      continue;
    }
    member.due = false;
    done += search(entity);
  }
  due_.swap(later);
  return done;
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

bool SymmetricLists::mutual(EntityIndex a, EntityIndex b) const {
  const FilterNumber of_a = scene_.watches[members_[a].sensor].filter;
  const FilterNumber of_b = scene_.watches[members_[b].sensor].filter;
  return (of_a == 0 || scene_.filters.passes(of_a, scene_.flags[b])) &&
         (of_b == 0 || scene_.filters.passes(of_b, scene_.flags[a]));
}

float SymmetricLists::distance(EntityIndex a, EntityIndex b) const {
  const Position& from = scene_.spots[a].at;
  const Position& to = scene_.spots[b].at;
  return approximate_distance(to.x - from.x, to.y - from.y);
}

// Of those without special relation: 1 to 4.
std::size_t SymmetricLists::bucket_of(EntityIndex a, EntityIndex b) const {
  const float away = distance(a, b);
  std::size_t bucket = 1;
  for (const float band : options_.bands) bucket += away > band ? 1 : 0;
  return bucket;
}

std::uint64_t SymmetricLists::search(EntityIndex entity) {
  const std::uint64_t visited = collect(entity);
  enters_.clear();
  leaves_.clear();
  difference_by_marks(members_[entity].list, view_, marks_, enters_, leaves_);
  settle_search(entity);
  return visited;
}

// Fills view_ with the best of the block, those of one bucket that are seen already first.
std::uint64_t SymmetricLists::collect(EntityIndex entity) {
  const Member& member = members_[entity];
  for (auto& bucket : buckets_) bucket.clear();
  view_.clear();
  for (const EntityIndex one : member.list) marks_[one] = 1;
  std::size_t collected = 0;
  if (const auto of = specials_.find(entity); of != specials_.end()) {
    for (const EntityIndex other : of->second) {
      if (!joined(other) || !in_block(entity, other) || !mutual(entity, other)) continue;
      buckets_[marks_[other] != 0 ? 0 : 1].push_back(other);
      marked_[other] = 1;
      ++collected;
    }
  }
  const std::size_t specials = collected;
  const Position& at = scene_.spots[entity].at;
  const double in_x = double{at.x} / double{options_.cell} - member.cell_x;
  const double in_y = double{at.y} / double{options_.cell} - member.cell_y;
  const auto& order = cell_order((in_x >= 0.5 ? 1u : 0u) + (in_y >= 0.5 ? 2u : 0u));
  std::uint64_t visited = 0;
  for (std::size_t i = 0; i < kBlockCells; ++i) {
    if (i >= kInnerCells && collected >= options_.capacity) break;
    const auto cell = cells_.find(key_of(member.cell_x + order[i].x, member.cell_y + order[i].y));
    if (cell == cells_.end()) continue;
    for (const EntityIndex other : cell->second) {
      if (i >= kInnerCells && collected >= options_.capacity) break;
      ++visited;
      if (other == entity || marked_[other] != 0 || !mutual(entity, other)) continue;
      buckets_[bucket_of(entity, other) * 2 + (marks_[other] != 0 ? 0 : 1)].push_back(other);
      ++collected;
    }
  }
  for (const auto& bucket : buckets_) {
    for (const EntityIndex other : bucket) {
      if (view_.size() == options_.capacity) break;
      view_.push_back(other);
    }
  }
  for (std::size_t i = 0; i < 2; ++i) {
    for (const EntityIndex other : buckets_[i]) marked_[other] = 0;
  }
  for (const EntityIndex one : member.list) marks_[one] = 0;
  assert(specials <= options_.capacity);
  return visited;
}

// Who is out of the block, or no longer passes, leaves. Who is only ranked behind stays until a
// better one that enters needs the place: otherwise a place would be given up for somebody whose
// own list is full, and the next search of the one who lost it would undo that.
void SymmetricLists::settle_search(EntityIndex entity) {
  Member& member = members_[entity];
  std::erase_if(leaves_, [&](EntityIndex other) {
    if (in_block(entity, other) && mutual(entity, other)) return false;
    unlink(entity, other);
    return true;
  });
  for (const EntityIndex other : enters_) {
    const bool own_room = member.list.size() < options_.capacity || !leaves_.empty();
    if (!own_room) {
      // Full of those that are in the view, too: only specials go on.
      if (!special(entity, other) || !make_room(entity, other)) continue;
    }
    if (members_[other].list.size() >= options_.capacity && !make_room(other, entity)) continue;
    if (member.list.size() >= options_.capacity) {
      unlink(entity, leaves_.back());
      leaves_.pop_back();
    }
    link(entity, other);
  }
}

// A full list gives way, or does not.
bool SymmetricLists::make_room(EntityIndex owner, EntityIndex newcomer) {
  const bool forced = special(owner, newcomer);
  if (!forced) {
    const float away = distance(owner, newcomer);
    if (away >= options_.replace_within) return false;
    if (farthest_of(owner) <= std::max(options_.replace_within, away)) return false;
  }
  const EntityIndex victim = victim_for(owner, newcomer, forced);
  if (victim == kNone) return false;
  unlink(owner, victim);
  return true;
}

// Backwards: lists are filled nearest first, so that far ones tend to be at the end.
EntityIndex SymmetricLists::victim_for(EntityIndex owner, EntityIndex newcomer, bool forced) {
  const auto& list = members_[owner].list;
  const float away = distance(owner, newcomer);
  const float far = std::max(options_.replace_within, away);
  for (std::size_t i = list.size(); i-- > 0;) {
    if (special(owner, list[i])) continue;
    if (forced || distance(owner, list[i]) > far) return list[i];
  }
  return kNone;
}

// In a crowd most attempts fail; one pass over a list answers all of them until it changes.
float SymmetricLists::farthest_of(EntityIndex owner) {
  Member& member = members_[owner];
  if (member.farthest_of == update_) return member.farthest;
  member.farthest = 0;
  for (const EntityIndex other : member.list) {
    if (!special(owner, other)) member.farthest = std::max(member.farthest, distance(owner, other));
  }
  member.farthest_of = update_;
  return member.farthest;
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
    list.erase(std::find(list.begin(), list.end(), other));
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
