/// Mutual view lists of bounded size: A sees B exactly if B sees A, so that no one can attack
/// unseen; and in a crowd each member sees those that are near and those that matter to it.
///
/// The scheme is that of "View priority control on the server of QQ Xianxia" (Tencent, 2015). A
/// member searches the block of 5 x 5 cells around its own after it has entered a new search cell,
/// or after `refresh` updates. Candidates are ranked by special relation, then by band and octave
/// of the approximate distance, and among equals those come first that it sees already. A member
/// out of the block leaves. A member that only ranks lower leaves when a better one takes its
/// place. A full list gives way to a special relation always; to a newcomer nearer than
/// `replace_within` if it holds a member farther than that, or twice as far as the newcomer; and to
/// a newcomer that has less than half a list, in place of its farthest member that has more than
/// half. Only such members give way to strangers, so that a crowd leaves nobody blind; and each
/// step brings somebody up to half a list or puts a shorter pair in place of longer ones, so that
/// one that stands still comes to rest. Owns its cells and lists; reads the world's Scene; belongs
/// to the world's thread.
#pragma once

#include <algorithm>
#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cmath>
#include <span>
#include <vector>

#include "aoi/limits.hpp"
#include "aoi/options.hpp"
#include "aoi/scene.hpp"

namespace starbus::aoi {

/// max + min / 2: never less than the distance, at most 12 % more.
inline float approximate_distance(float dx, float dy) {
  const float x = std::fabs(dx);
  const float y = std::fabs(dy);
  return std::max(x, y) + std::min(x, y) / 2;
}

/// The cells of the block as offsets, nearest first for a member in that quarter of the centre cell
/// (0: left and below, 1: right and below, 2 and 3: above); the inner nine come first.
struct CellOffset {
  int x;
  int y;
};
inline constexpr int kBlockReach = 2;  ///< cells on each side of the centre
inline constexpr std::size_t kBlockCells = 25;
inline constexpr std::size_t kInnerCells = 9;
const std::array<CellOffset, kBlockCells>& cell_order(std::size_t quarter);

/// The changes of a search: members of `view` that are not in `current` enter, members of `current`
/// that are not in `view` leave. Works with a mark per entity, all 0 before and after; no sorting.
void difference_by_marks(std::span<const EntityIndex> current, std::span<const EntityIndex> view,
                         std::vector<std::uint8_t>& marks, std::vector<EntityIndex>& enters,
                         std::vector<EntityIndex>& leaves);

class SymmetricLists {
 public:
  SymmetricLists(const Scene& scene, const SymmetricOptions& options);

  /// A member with this sensor; and its end, which ends its pairs.
  void join(EntityIndex entity, SensorIndex sensor);
  void leave(EntityIndex entity);
  /// The member has come from another world, where it had the other in its list: they are paired if
  /// both are members, may be and have room.
  void adopt(EntityIndex entity, EntityIndex other);
  /// The member searches in the next update, whatever its bound of tests is.
  void search_first(EntityIndex entity);
  /// Whether the entity is a member.
  bool joined(EntityIndex entity) const {
    return entity < members_.size() && members_[entity].sensor != kNone;
  }
  SensorIndex sensor_of(EntityIndex member) const { return members_[member].sensor; }
  /// The position of a member has changed.
  void moved(EntityIndex entity);
  /// Flags or filters have changed: a member that no longer passes leaves at the next update.
  void recheck(EntityIndex entity);
  void set_special(EntityIndex a, EntityIndex b, bool on);
  bool special(EntityIndex a, EntityIndex b) const;
  std::size_t specials(EntityIndex entity) const;
  void forget(EntityIndex entity);  ///< removes all its special relations

  struct Searches {
    std::uint64_t tests = 0;      ///< distances tested
    std::uint32_t done = 0;       ///< members that have searched
    std::uint32_t overdue = 0;    ///< of these, beyond `tests`
    std::uint32_t staleness = 0;  ///< the most updates that a member still waits
  };
  /// Lets the members search that want to, first those that have waited longest. Beyond `tests` (0:
  /// no bound) only those that have waited `max_wait` updates.
  Searches update(std::uint64_t tests, std::uint32_t max_wait);
  /// Members whose list has changed since settle(), also by searches of others. May name entities
  /// that are members no more, and some twice.
  std::span<const EntityIndex> changed() const { return changed_; }
  void settle();  ///< the caller has taken the changes
  std::uint32_t waiting() const { return static_cast<std::uint32_t>(due_.size()); }

  std::span<const EntityIndex> list(EntityIndex entity) const { return members_[entity].list; }
  /// Whether each is within the block of search cells of the other.
  bool in_block(EntityIndex a, EntityIndex b) const;
  bool contains(EntityIndex a, EntityIndex b) const;
  /// Bytes that it occupies.
  std::uint64_t memory() const;

 private:
  /// By special relation, band and octave of the distance; and twice that, seen already or not.
  static constexpr std::uint32_t kOctaves = 16;
  static constexpr std::uint32_t kRanks = 5 * kOctaves;
  struct Candidate {
    EntityIndex entity = kNone;
    std::uint32_t rank = 0;
  };
  struct Member {
    SensorIndex sensor = kNone;
    std::int32_t cell_x = 0;
    std::int32_t cell_y = 0;
    std::int32_t search_x = 0;
    std::int32_t search_y = 0;
    std::uint32_t at_all = 0;   ///< its place in all_
    std::uint32_t at_cell = 0;  ///< and in its cell
    std::uint32_t waited = 0;   ///< updates since a search was wanted
    bool due = false;
    bool changed = false;
    std::uint64_t farthest_of = 0;  ///< the update and change for which farthest was computed
    float farthest = 0;             ///< approximate distance of the farthest that may be displaced
    std::vector<EntityIndex> list;  ///< nearest first when filled, otherwise in no order
  };
  using Key = std::uint64_t;

  static Key key_of(std::int32_t x, std::int32_t y);
  std::int32_t cell_of(float at) const;
  std::int32_t search_cell_of(float at) const;
  void place(EntityIndex entity);
  void put_into_cell(EntityIndex entity);
  void unplace(EntityIndex entity);
  void want_search(EntityIndex entity);
  bool mutual(EntityIndex a, EntityIndex b) const;
  float distance(EntityIndex a, EntityIndex b) const;
  std::uint32_t rank_of(float away) const;
  bool is_full(EntityIndex entity) const {
    return members_[entity].list.size() >= options_.capacity;
  }
  /// Below what each may have, if need be in place of others that have more.
  std::size_t fair_share() const { return std::max<std::size_t>(1, options_.capacity / 2u); }
  bool is_poor(EntityIndex entity) const { return members_[entity].list.size() < fair_share(); }
  bool is_rich(EntityIndex entity) const { return members_[entity].list.size() > fair_share(); }
  std::uint64_t search(EntityIndex entity);
  std::uint64_t collect(EntityIndex entity);
  void collect_specials(EntityIndex entity);
  void rank_candidates();
  void settle_search(EntityIndex entity);
  bool try_link(EntityIndex entity, EntityIndex other);
  void fill_up(EntityIndex entity);
  EntityIndex victim_for(EntityIndex owner, EntityIndex newcomer);
  EntityIndex own_victim_for(EntityIndex entity, EntityIndex other);
  float farthest_of(EntityIndex owner);
  void link(EntityIndex a, EntityIndex b);
  void unlink(EntityIndex a, EntityIndex b);
  void note_change(EntityIndex entity);

  const Scene& scene_;
  const SymmetricOptions options_;
  std::vector<Member> members_;  ///< by entity
  boost::unordered_flat_map<Key, std::vector<EntityIndex>> cells_;
  boost::unordered_flat_map<EntityIndex, std::vector<EntityIndex>> specials_;
  std::vector<EntityIndex> due_;
  std::vector<EntityIndex> searching_;  ///< scratch of update()
  std::vector<EntityIndex> all_;        ///< members, in no order
  std::vector<EntityIndex> changed_;
  std::uint64_t update_ = 0;
  std::uint32_t refreshed_ = 0;  ///< so many of all_ have been asked to search in this round

  // Scratch of one search.
  std::vector<Candidate> candidates_;
  std::vector<Candidate> ranked_;  ///< the same, best first
  std::array<std::uint32_t, kRanks* 2 + 1> starts_ = {};
  std::vector<EntityIndex> view_;  ///< the best of them, as many as a list holds
  std::vector<EntityIndex> enters_;
  std::vector<EntityIndex> leaves_;
  std::vector<std::uint8_t> marks_;   ///< by entity, 0 at rest
  std::vector<std::uint8_t> marked_;  ///< by entity: collected already; 0 at rest
};

}  // namespace starbus::aoi
