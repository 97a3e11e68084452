// One search: ranks the members of the block, and decides which leave, enter and give way.
#include <algorithm>
#include <cassert>
#include <cstdlib>

#include "aoi/select/symmetric.hpp"

namespace starbus::aoi {
namespace {

// Nearest first, as seen from the middle of one quarter of the centre cell.
std::array<CellOffset, kBlockCells> make_order(std::size_t quarter) {
  std::array<CellOffset, kBlockCells> order{};
  std::size_t count = 0;
  for (int y = -kBlockReach; y <= kBlockReach; ++y) {
    for (int x = -kBlockReach; x <= kBlockReach; ++x) order.at(count++) = {x, y};
  }
  // In quarters of a cell, so that all numbers are integers.
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

// The bucket of a member without special relation: 1 to 4.
std::size_t SymmetricLists::bucket_of(const Position& from, EntityIndex other) const {
  const Position& to = scene_.spots[other].at;
  const float away = approximate_distance(to.x - from.x, to.y - from.y);
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

// Fills view_ with the best of the block; within a bucket those come first that it sees already.
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
  const bool filtered = scene_.filters.size() > 1;  // otherwise all pass
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
      if (other == entity || marked_[other] != 0) continue;
      if (filtered && !mutual(entity, other)) continue;
      ++collected;
      auto& bucket = buckets_[bucket_of(at, other) * 2 + (marks_[other] != 0 ? 0 : 1)];
      if (bucket.size() < options_.capacity) bucket.push_back(other);  // no list is longer
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

// A member that is out of the block, or no longer passes, leaves. A member that only ranks lower
// stays until a better one that enters needs the place: otherwise a place would be given up for a
// member whose own list is full, and the next search of the one that lost it would undo that.
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
      // The list is full of members of the view: only special relations go on.
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

// Frees a place in a full list if the newcomer may have it.
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

// Searches backwards: lists are filled nearest first, so that far members tend to be at the end.
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

// In a crowd most attempts fail; one pass over a list answers all of them until the list changes.
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

}  // namespace starbus::aoi
