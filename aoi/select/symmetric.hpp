/// Mutual view lists of bounded size: A sees B exactly if B sees A, so that nobody can attack
/// unseen, and in a crowd everybody sees those near and those who matter.
///
/// The scheme is that of "View priority control on the server of QQ Xianxia" (Tencent, 2015). A
/// member searches the block of 5 x 5 cells around its own when it has entered a new search cell,
/// or after `refresh` updates. Candidates are ranked by bucket (special relation, then bands of
/// approximate distance), within a bucket those that it sees already first. Who is out of the block
/// leaves; who is ranked behind leaves when somebody better takes the place. A full list gives way
/// to a special relation always, and to who is nearer than `replace_within` if it holds somebody
/// farther than both. Owns its cells and lists; reads the world's Scene; one thread.
#pragma once

#include <algorithm>
#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cmath>
#include <span>
#include <vector>

#include "aoi/options.hpp"
#include "aoi/scene.hpp"

namespace starbus::aoi {

/// max + min / 2: never less than the distance, at most 12 % more.
inline float approximate_distance(float dx, float dy) {
  const float x = std::fabs(dx);
  const float y = std::fabs(dy);
  return std::max(x, y) + std::min(x, y) / 2;
}

/// The block's cells as offsets, nearest first for someone in that quarter of the centre cell
/// (0: left and below, 1: right and below, 2 and 3: above); the inner nine come first.
struct CellOffset {
  int x;
  int y;
};
inline constexpr int kBlockReach = 2;  ///< cells on each side of one's own
inline constexpr std::size_t kBlockCells = 25;
inline constexpr std::size_t kInnerCells = 9;
const std::array<CellOffset, kBlockCells>& cell_order(std::size_t quarter);

/// What a search changes: of `view` the ones not in `current` enter, of `current` the ones not in
/// `view` leave. Works with a mark per entity, all 0 before and after; no sorting.
void difference_by_marks(std::span<const EntityIndex> current, std::span<const EntityIndex> view,
                         std::vector<std::uint8_t>& marks, std::vector<EntityIndex>& enters,
                         std::vector<EntityIndex>& leaves);

class SymmetricLists {
 public:
  SymmetricLists(const Scene& scene, const SymmetricOptions& options);

  void join(EntityIndex entity, SensorIndex sensor);
  void leave(EntityIndex entity);
  bool joined(EntityIndex entity) const {
    return entity < members_.size() && members_[entity].sensor != kNone;
  }
  SensorIndex sensor_of(EntityIndex member) const { return members_[member].sensor; }
  void moved(EntityIndex entity);
  /// Flags or filters have changed: who no longer passes leaves at the next update.
  void recheck(EntityIndex entity);
  void set_special(EntityIndex a, EntityIndex b, bool on);
  bool special(EntityIndex a, EntityIndex b) const;
  std::size_t specials(EntityIndex entity) const;
  void forget(EntityIndex entity);  ///< all its special relations

  struct Searches {
    std::uint64_t tests = 0;      ///< distances looked at
    std::uint32_t done = 0;       ///< members that have searched
    std::uint32_t overdue = 0;    ///< of those, beyond `tests`
    std::uint32_t staleness = 0;  ///< of those who still wait, updates that the longest has
  };
  /// Searches for those who need it: first those who have waited longest. Beyond `tests` (0: no
  /// bound) only those that have waited `max_wait` updates.
  Searches update(std::uint64_t tests, std::uint32_t max_wait);
  /// Of the last update, also by other members' searches; each once.
  std::span<const EntityIndex> changed() const { return changed_; }
  void settle();  ///< the changes have been taken
  std::uint32_t waiting() const { return static_cast<std::uint32_t>(due_.size()); }

  std::span<const EntityIndex> list(EntityIndex entity) const { return members_[entity].list; }
  bool in_block(EntityIndex a, EntityIndex b) const;
  bool contains(EntityIndex a, EntityIndex b) const;
  std::uint64_t memory() const;

 private:
  static constexpr std::size_t kBuckets = 5;
  struct Member {
    SensorIndex sensor = kNone;
    std::int32_t cell_x = 0;
    std::int32_t cell_y = 0;
    std::int32_t search_x = 0;
    std::int32_t search_y = 0;
    std::uint32_t waited = 0;  ///< updates since a search was wanted
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
  void unplace(EntityIndex entity);
  void want_search(EntityIndex entity);
  bool mutual(EntityIndex a, EntityIndex b) const;
  float distance(EntityIndex a, EntityIndex b) const;
  std::size_t bucket_of(const Position& from, EntityIndex other) const;
  std::uint64_t search(EntityIndex entity);
  std::uint64_t collect(EntityIndex entity);
  bool collect_one(EntityIndex entity, EntityIndex other);
  void settle_search(EntityIndex entity);
  bool make_room(EntityIndex owner, EntityIndex newcomer);
  EntityIndex victim_for(EntityIndex owner, EntityIndex newcomer, bool forced);
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
  std::vector<EntityIndex> all_;  ///< members, in no order
  std::vector<EntityIndex> changed_;
  std::uint64_t update_ = 0;
  std::size_t refresh_at_ = 0;

  // Scratch of one search.
  std::array<std::vector<EntityIndex>, kBuckets * 2> buckets_;  ///< seen already, and not
  std::vector<EntityIndex> view_;
  std::vector<EntityIndex> enters_;
  std::vector<EntityIndex> leaves_;
  std::vector<std::uint8_t> marks_;   ///< by entity, 0 at rest
  std::vector<std::uint8_t> marked_;  ///< by entity: collected already, or in the list; 0 at rest
};

}  // namespace starbus::aoi
