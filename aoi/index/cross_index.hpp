/// The cross list: two sorted axes on which each entity has a node. The bounds of a sensor are the
/// two places on each axis that lie its width before and after its owner; an entity between them on
/// both axes is its candidate. Candidates are tested with the exact metric, so the corners of the
/// square do no harm.
///
/// A node stands where its entity was anchored last, and bounds are wider than the radius by twice
/// the slack: an entity moves freely within the slack, and its node is shifted only beyond it.
/// Entities that its bounds pass then, on either axis, are tested whether they become candidates.
/// Bounds of one width lie equally far from their owners in both directions, so the sensors of that
/// width whose bounds it passes itself are those of the same entities. Widths are therefore rounded
/// up, so that there are few of them. Candidates that are out of range and out of bounds are
/// dropped now and then when their sensor is evaluated. An entity that is new, or has moved far, is
/// inserted from the nearest anchor and searches around itself; if there are many of these, the
/// lists are built again. Work is done for entities that move and for the sensors that have them as
/// candidates. (Sorted lists kept sorted as things move: Baraff 1992; Cohen and others, I-COLLIDE,
/// 1995.) Owns lists and candidates; reads the world's Scene; one thread.
#pragma once

#include <array>

#include "aoi/index/axis_list.hpp"
#include "aoi/index/index.hpp"

namespace starbus::aoi {

class CrossIndex final : public Index {
 public:
  CrossIndex(const Scene& scene, float reach);

  bool has(SensorIndex sensor, EntityIndex target) const override;
  void in_range(SensorIndex sensor, std::vector<EntityIndex>& out) const override;
  void observers(EntityIndex target, std::vector<SensorIndex>& out) const override;
  void in_range_within(SensorIndex sensor, float limit, std::vector<Candidate>& out) const override;
  void visit(const Box& box, EntityVisitor visitor) const override;
  std::uint64_t visited() const override { return asked_; }
  std::uint64_t memory() const override;

  void reserve(std::size_t entities, std::size_t sensors) override;
  void insert(EntityIndex entity) override;
  void erase(EntityIndex entity, std::vector<SensorIndex>& had) override;
  void erase_all(std::span<const EntityIndex> entities, Buffer<Pair>& had) override;
  void move(EntityIndex entity) override;
  void refilter(EntityIndex entity) override;
  void refilter_all(FilterNumber) override {}
  void attach(SensorIndex sensor) override;
  void detach(SensorIndex sensor, std::vector<EntityIndex>& had) override;
  void rewatch(SensorIndex sensor) override;
  void adopt(SensorIndex sensor, EntityIndex target) override;
  void dirty(std::vector<Dirty>& out) override;
  void evaluate(Delta& delta, const std::vector<std::uint8_t>* skip) override;

  /// For tests: an axis, which counts the nodes it has visited.
  const AxisList& axis(std::size_t which) const { return axes_.at(which); }

 private:
  static constexpr std::uint32_t kInRange = 1u << 31;  ///< set in an entry beside the index
  /// The most that rounding of coordinates up to kMaxCoordinate can change a difference by, in m.
  static constexpr float kRounding = 0.3F;
  struct Point {
    float x = 0;
    float y = 0;
    float on(std::size_t axis) const { return axis == 0 ? x : y; }
  };
  struct Anchored {
    bool known = false;    ///< inserted and not erased
    bool listed = false;   ///< has nodes
    bool waiting = false;  ///< in waiting_
    bool far = false;      ///< to be inserted again and to search around itself
    bool moved = false;    ///< since the last evaluation
    bool stale = false;    ///< in stale_
  };
  struct Sensing {
    bool attached = false;
    bool dirty = false;
    bool dense = false;          ///< candidate_bits is in use
    std::uint32_t suspects = 0;  ///< candidates that may have gone out of bounds since prune()
    float bound = 0;             ///< reach plus twice the slack, rounded up
    std::vector<std::uint32_t> entries;         ///< candidates
    std::vector<std::uint64_t> candidate_bits;  ///< in a crowd: a bit by entity
  };

  /// A width of bounds that is in use.
  struct Width {
    float bound = 0;
    std::uint32_t sensors = 0;
  };

  float bound_of(const Watch& watch) const;
  void count_bound(float bound, bool more);
  float widest() const { return widths_.empty() ? 0 : widths_.back().bound; }
  void wait(EntityIndex entity, bool far);
  void mark_dirty(SensorIndex sensor, std::uint32_t suspects);
  void mark_around(EntityIndex entity, bool shifted);
  void settle_waiting();
  void settle_moved();
  void rebuild();
  void shift(EntityIndex entity);
  void pass(EntityIndex entity, std::size_t which, float old, float bound);
  void insert_again(EntityIndex entity);
  AxisList::Node node_of(EntityIndex entity, std::size_t which) const;
  void take_nodes(EntityIndex entity);
  bool in_bounds(SensorIndex sensor, EntityIndex target) const;
  void consider(SensorIndex sensor, EntityIndex target);
  bool is_candidate(const Sensing& sensing, EntityIndex target) const;
  void add_candidate(SensorIndex sensor, EntityIndex target);
  void forget_candidate(SensorIndex sensor, EntityIndex target);
  void consider_both(EntityIndex a, EntityIndex b);
  std::uint32_t* entry(SensorIndex sensor, EntityIndex target);
  const std::uint32_t* entry(SensorIndex sensor, EntityIndex target) const;
  void prefetch(std::size_t at) const;
  void evaluate_sensor(SensorIndex sensor, Delta& delta);
  template <class Accept>
  void test_entries(SensorIndex sensor, Delta& delta, const Accept& accept);
  void prune(SensorIndex sensor);
  void settle_stale();
  void drop_observer(EntityIndex target, SensorIndex sensor);
  template <class Visitor>
  void each_sensor(EntityIndex entity, const Visitor& visitor) const;

  const Scene& scene_;
  const float reach_;
  const float slack_;
  std::array<AxisList, 2> axes_;
  std::vector<Anchored> anchored_;                   ///< by entity
  std::vector<Point> anchors_;                       ///< by entity
  std::vector<Point> points_;                        ///< by entity: present positions
  std::vector<std::vector<SensorIndex>> observers_;  ///< by entity: sensors with it as a candidate
  std::vector<Sensing> sensings_;                    ///< by sensor
  std::vector<SensorIndex> dirty_;
  std::vector<EntityIndex> waiting_;
  std::vector<EntityIndex> stale_;  ///< whose observers_ may name sensors that are detached
  std::vector<EntityIndex> gone_;   ///< scratch of erase_all()
  std::vector<EntityIndex> moved_;
  std::vector<Width> widths_;  ///< in use, ascending
  std::size_t known_ = 0;
  mutable std::uint64_t asked_ = 0;  ///< nodes, by visit()
  std::uint64_t counted_ = 0;        ///< nodes that evaluations have reported
};

template <class Visitor>
void CrossIndex::each_sensor(EntityIndex entity, const Visitor& visitor) const {
  for (SensorIndex s = scene_.first_sensor[entity]; s != kNone; s = scene_.watches[s].next) {
    if (s < sensings_.size() && sensings_[s].attached) visitor(s);
  }
}

}  // namespace starbus::aoi
