// Evaluates sensors, and answers what is in range.
#include <algorithm>

#include "aoi/arrays/prefetch.hpp"
#include "aoi/index/cross_index.hpp"
#include "aoi/measure.hpp"

namespace starbus::aoi {
namespace {

// Candidates are pruned when more than one in so many may be out of bounds.
constexpr std::size_t kSuspectShare = 4;
// Sensors. An evaluation takes less time than a cache miss, and its data is reached in two steps.
constexpr std::size_t kRowsAhead = 6;
constexpr std::size_t kPerLine = 16;  // candidates

}  // namespace

void CrossIndex::dirty(std::vector<Dirty>& out) {
  settle_stale();
  settle_waiting();
  settle_moved();
  for (const SensorIndex sensor : dirty_) {
    if (sensings_[sensor].dirty) {
      out.push_back({sensor, sensings_[sensor].entries.size()});
    }
  }
}

void CrossIndex::evaluate(Delta& delta, const std::vector<std::uint8_t>* skip) {
  settle_stale();
  settle_waiting();
  settle_moved();
  std::size_t kept = 0;
  for (std::size_t i = 0; i < dirty_.size(); ++i) {
    prefetch(i);
    const SensorIndex sensor = dirty_[i];
    if (!sensings_[sensor].dirty) continue;
    if (skip != nullptr && (*skip)[sensor] != 0) {
      dirty_[kept++] = sensor;
      continue;
    }
    sensings_[sensor].dirty = false;
    evaluate_sensor(sensor, delta);
  }
  dirty_.resize(kept);
  const std::uint64_t all = axes_[0].visited() + axes_[1].visited() - asked_;
  delta.visited += all - counted_;
  counted_ = all;
}

// Prefetches what the evaluations after that of dirty_[at] will need.
void CrossIndex::prefetch(std::size_t at) const {
  if (at + 2 * kRowsAhead < dirty_.size()) {
    const SensorIndex later = dirty_[at + 2 * kRowsAhead];
    prefetch_line(&sensings_[later]);
    prefetch_line(&scene_.watches[later]);
  }
  if (at + kRowsAhead >= dirty_.size()) return;
  const std::vector<std::uint32_t>& entries = sensings_[dirty_[at + kRowsAhead]].entries;
  prefetch_line(entries.data());
  if (entries.size() > kPerLine) prefetch_line(entries.data() + kPerLine);
}

template <class Accept>
void CrossIndex::test_entries(SensorIndex sensor, Delta& delta, const Accept& accept) {
  for (std::uint32_t& one : sensings_[sensor].entries) {
    const EntityIndex target = one & ~kInRange;
    const bool was = (one & kInRange) != 0;
    const bool is = accept(target, was);
    if (was == is) continue;
    one ^= kInRange;
    if (is) {
      delta.enter(target);
    } else {
      delta.leave(target);
    }
  }
}

void CrossIndex::evaluate_sensor(SensorIndex sensor, Delta& delta) {
  const Watch& watch = scene_.watches[sensor];
  const bool simple = scene_.metric == Metric::circle && watch.filter == 0 && !watch.has_height &&
                      !watch.has_margin;
  if (simple) {
    const Point from = points_[watch.owner];
    const float limit = limit_of(Metric::circle, watch.radius);
    test_entries(sensor, delta, [&](EntityIndex target, bool) {
      const Point& at = points_[target];
      return measure(Metric::circle, at.x - from.x, at.y - from.y) <= limit;
    });
  } else {
    test_entries(sensor, delta,
                 [&](EntityIndex target, bool was) { return scene_.in_range(watch, target, was); });
  }
  ++delta.evaluated;
  delta.pair_tests += sensings_[sensor].entries.size();
  delta.close(sensor, scene_);
  const Sensing& sensing = sensings_[sensor];
  if (sensing.suspects * kSuspectShare > sensing.entries.size()) prune(sensor);
}

void CrossIndex::prune(SensorIndex sensor) {
  Sensing& sensing = sensings_[sensor];
  sensing.suspects = 0;
  std::size_t kept = 0;
  for (const std::uint32_t one : sensing.entries) {
    if ((one & kInRange) != 0 || in_bounds(sensor, one)) {
      sensing.entries[kept++] = one;
      continue;
    }
    drop_observer(one, sensor);
    if (sensing.dense) sensing.candidate_bits[one / 64] &= ~(std::uint64_t{1} << one % 64);
  }
  sensing.entries.resize(kept);
}

bool CrossIndex::has(SensorIndex sensor, EntityIndex target) const {
  const std::uint32_t* at = entry(sensor, target);
  return at != nullptr && (*at & kInRange) != 0;
}

void CrossIndex::in_range(SensorIndex sensor, std::vector<EntityIndex>& out) const {
  for (const std::uint32_t one : sensings_[sensor].entries) {
    if ((one & kInRange) != 0) out.push_back(one & ~kInRange);
  }
}

void CrossIndex::observers(EntityIndex target, std::vector<SensorIndex>& out) const {
  for (const SensorIndex sensor : observers_[target]) {
    if (has(sensor, target)) out.push_back(sensor);
  }
}

void CrossIndex::in_range_within(SensorIndex sensor, float limit,
                                 std::vector<Candidate>& out) const {
  const Point& from = points_[scene_.watches[sensor].owner];
  for (const std::uint32_t one : sensings_[sensor].entries) {
    if ((one & kInRange) == 0) continue;
    const Point& at = points_[one & ~kInRange];
    const float squared = distance_squared(at.x - from.x, at.y - from.y);
    if (squared <= limit) out.push_back({squared, one & ~kInRange});
  }
}

// Nodes stand within the slack of their entities; entities that wait may be anywhere.
void CrossIndex::visit(const Box& box, EntityVisitor visitor) const {
  const float wide = slack_ + kRounding;
  const AxisList::Range x{box.min.x - wide, box.max.x + wide};
  const AxisList::Range y{box.min.y - wide, box.max.y + wide};
  const std::uint64_t before = axes_[0].visited();
  axes_[0].visit(x, y, [&](EntityIndex entity) {
    if (scene_.observable[entity] != 0 && !anchored_[entity].waiting) visitor(entity);
  });
  asked_ += axes_[0].visited() - before;
  for (const EntityIndex entity : waiting_) {
    if (anchored_[entity].waiting && scene_.observable[entity] != 0) visitor(entity);
  }
}

std::uint64_t CrossIndex::memory() const {
  std::uint64_t bytes = axes_[0].memory() + axes_[1].memory() +
                        anchored_.capacity() * sizeof(Anchored) +
                        (anchors_.capacity() + points_.capacity()) * sizeof(Point) +
                        observers_.capacity() * sizeof(std::vector<SensorIndex>) +
                        sensings_.capacity() * sizeof(Sensing);
  for (const auto& list : observers_) bytes += list.capacity() * sizeof(SensorIndex);
  for (const Sensing& sensing : sensings_) {
    bytes +=
        sensing.entries.capacity() * sizeof(std::uint32_t) + sensing.candidate_bits.capacity() * 8;
  }
  return bytes;
}

}  // namespace starbus::aoi
