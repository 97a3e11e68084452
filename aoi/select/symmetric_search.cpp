// One search: ranks the members of the block, and decides which leave, enter and give way.
#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdlib>
#include <numeric>

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

// Of a candidate without special relation; 0 is for those. Rises with the distance.
std::uint32_t SymmetricLists::rank_of(float away) const {
  std::uint32_t band = 1;
  for (const float end : options_.bands) band += away > end ? 1 : 0;
  constexpr std::uint32_t kFirst = 0x7c;  // the exponent of 1/8 m
  const std::uint32_t exponent = std::bit_cast<std::uint32_t>(away) >> 23;
  const std::uint32_t octave = std::clamp(exponent, kFirst, kFirst + kOctaves - 1) - kFirst;
  return band * kOctaves + octave;
}

std::uint64_t SymmetricLists::search(EntityIndex entity) {
  const std::uint64_t visited = collect(entity);
  rank_candidates();
  enters_.clear();
  leaves_.clear();
  difference_by_marks(members_[entity].list, view_, marks_, enters_, leaves_);
  settle_search(entity);
  return visited;
}

void SymmetricLists::collect_specials(EntityIndex entity) {
  const auto of = specials_.find(entity);
  if (of == specials_.end()) return;
  for (const EntityIndex other : of->second) {
    if (!joined(other) || !in_block(entity, other) || !mutual(entity, other)) continue;
    candidates_.push_back({other, marks_[other] != 0 ? 0u : 1u});
    marked_[other] = 1;
  }
}

// Fills candidates_: the inner nine cells are searched whole, those around them until there are as
// many as a list holds.
std::uint64_t SymmetricLists::collect(EntityIndex entity) {
  const Member& member = members_[entity];
  candidates_.clear();
  for (const EntityIndex one : member.list) marks_[one] = 1;
  collect_specials(entity);
  const std::size_t specials = candidates_.size();
  assert(specials <= options_.capacity);
  const bool filtered = scene_.filters.size() > 1;  // otherwise all pass
  const Position& at = scene_.spots[entity].at;
  const double in_x = double{at.x} / double{options_.cell} - member.cell_x;
  const double in_y = double{at.y} / double{options_.cell} - member.cell_y;
  const auto& order = cell_order((in_x >= 0.5 ? 1u : 0u) + (in_y >= 0.5 ? 2u : 0u));
  std::uint64_t visited = 0;
  for (std::size_t i = 0; i < kBlockCells; ++i) {
    if (i >= kInnerCells && candidates_.size() >= options_.capacity) break;
    const auto cell = cells_.find(key_of(member.cell_x + order[i].x, member.cell_y + order[i].y));
    if (cell == cells_.end()) continue;
    for (const EntityIndex other : cell->second) {
      if (i >= kInnerCells && candidates_.size() >= options_.capacity) break;
      ++visited;
      if (other == entity || marked_[other] != 0) continue;
      if (filtered && !mutual(entity, other)) continue;
      const Position& to = scene_.spots[other].at;
      const float away = approximate_distance(to.x - at.x, to.y - at.y);
      candidates_.push_back({other, rank_of(away) * 2 + (marks_[other] != 0 ? 0 : 1)});
    }
  }
  for (std::size_t i = 0; i < specials; ++i) marked_[candidates_[i].entity] = 0;
  for (const EntityIndex one : member.list) marks_[one] = 0;
  return visited;
}

// Sorts by rank, into ranked_; among equals in the order of cells. The best are the view.
void SymmetricLists::rank_candidates() {
  starts_.fill(0);
  for (const Candidate& one : candidates_) ++starts_[one.rank + 1];
  std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
  ranked_.resize(candidates_.size());
  for (const Candidate& one : candidates_) ranked_[starts_[one.rank]++] = one;
  view_.clear();
  for (const Candidate& one : ranked_) {
    if (view_.size() == options_.capacity) break;
    view_.push_back(one.entity);
  }
}

// A member that is out of the block, or no longer passes, leaves. A member that only ranks lower
// stays until a better one that enters needs the place: otherwise a place would be given up for a
// member whose own list is full, and the next search of the one that lost it would undo that.
void SymmetricLists::settle_search(EntityIndex entity) {
  std::erase_if(leaves_, [&](EntityIndex other) {
    if (in_block(entity, other) && mutual(entity, other)) return false;
    unlink(entity, other);
    return true;
  });
  std::sort(leaves_.begin(), leaves_.end(), [&](EntityIndex a, EntityIndex b) {
    const float first = distance(entity, a);
    const float second = distance(entity, b);
    return first != second ? first < second : a < b;
  });
  for (const EntityIndex other : enters_) (void)try_link(entity, other);
  if (!is_full(entity)) fill_up(entity);
}

// Pairs them if both have room, or somebody gives way. Nobody loses a place without that.
bool SymmetricLists::try_link(EntityIndex entity, EntityIndex other) {
  EntityIndex own = kNone;
  EntityIndex others = kNone;
  if (is_full(entity)) {
    own = own_victim_for(entity, other);
    if (own == kNone) return false;
  }
  if (is_full(other)) {
    others = victim_for(other, entity);
    if (others == kNone) return false;
  }
  // Who would lose two places must have them.
  if (own != kNone && own == others && members_[own].list.size() < fair_share() + 2) return false;
  if (own != kNone) {
    unlink(entity, own);
    std::erase(leaves_, own);
  }
  if (others != kNone) unlink(other, others);
  link(entity, other);
  return true;
}

// The view gives no more. Beyond it there may be some with a free place, or with one for a member
// that has less than its share.
void SymmetricLists::fill_up(EntityIndex entity) {
  for (const EntityIndex one : members_[entity].list) marks_[one] = 1;
  for (std::size_t i = view_.size(); i < ranked_.size() && !is_full(entity); ++i) {
    const EntityIndex other = ranked_[i].entity;
    if (marks_[other] != 0) continue;
    if (!is_full(other) || is_poor(entity)) {
      if (try_link(entity, other)) marks_[other] = 1;
    }
  }
  for (const Candidate& one : ranked_) marks_[one.entity] = 0;
  for (const EntityIndex one : members_[entity].list) marks_[one] = 0;
}

// The member of a full list that gives way to one that ranks before it: the farthest of those that
// its view has no room for. To a special relation anybody does.
EntityIndex SymmetricLists::own_victim_for(EntityIndex entity, EntityIndex other) {
  for (std::size_t i = leaves_.size(); i-- > 0;) {
    if (is_rich(leaves_[i])) return leaves_[i];
  }
  return special(entity, other) ? victim_for(entity, other) : kNone;
}

// The farthest member of a full list that gives way to this newcomer, or kNone.
EntityIndex SymmetricLists::victim_for(EntityIndex owner, EntityIndex newcomer) {
  constexpr float kBeside = 0.5F;  // m; nearer than that all are equally near
  const bool forced = special(owner, newcomer);
  float least = 0;
  if (!forced && !is_poor(newcomer)) {
    const float away = distance(owner, newcomer);
    if (away >= options_.replace_within) return kNone;
    least = std::min(2 * std::max(away, kBeside), options_.replace_within);
    if (farthest_of(owner) < least) return kNone;
  }
  EntityIndex victim = kNone;
  EntityIndex poor = kNone;  // gives way to special relations, if nobody else can
  float farthest = -1;
  float farthest_poor = -1;
  for (const EntityIndex one : members_[owner].list) {
    if (special(owner, one)) continue;
    const float away = distance(owner, one);
    if (is_rich(one)) {
      if (away > farthest) victim = one;
      farthest = std::max(farthest, away);
    } else {
      if (away > farthest_poor) poor = one;
      farthest_poor = std::max(farthest_poor, away);
    }
  }
  if (forced) return victim != kNone ? victim : poor;
  return farthest >= least ? victim : kNone;
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
