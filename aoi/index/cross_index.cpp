// Entities, sensors and their candidates.
#include "aoi/index/cross_index.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

namespace starbus::aoi {
namespace {

// More slack means more candidates and fewer shifts. A random walk with steps of at most 3 m needs
// some forty steps to leave eight metres.
constexpr float kSlackShare = 0.25F;  // of the usual reach
constexpr float kMostSlack = 8;       // m
constexpr float kLeastSlack = 0.5F;   // m
// The candidates of a crowd are also kept as bits, if these need at most four times the memory.
constexpr std::size_t kCrowd = 64;
constexpr std::size_t kBitsPerCandidate = 128;

}  // namespace

CrossIndex::CrossIndex(const Scene& scene, float reach)
    : scene_(scene),
      reach_(reach),
      slack_(std::clamp(reach * kSlackShare, kLeastSlack, kMostSlack)) {}

void CrossIndex::reserve(std::size_t entities, std::size_t sensors) {
  anchored_.reserve(entities + 1);
  anchors_.reserve(entities + 1);
  points_.reserve(entities + 1);
  observers_.reserve(entities + 1);
  sensings_.reserve(sensors + 1);
}

void CrossIndex::insert(EntityIndex entity) {
  if (anchored_.size() <= entity) {
    const std::size_t size = scene_.spots.size();
    anchored_.resize(size);
    anchors_.resize(size);
    points_.resize(size);
    observers_.resize(size);
  }
  anchored_[entity] = {};
  anchored_[entity].known = true;
  ++known_;
  points_[entity] = {scene_.spots[entity].at.x, scene_.spots[entity].at.y};
  wait(entity, true);
}

void CrossIndex::wait(EntityIndex entity, bool far) {
  Anchored& state = anchored_[entity];
  state.far = state.far || far;
  if (state.waiting) return;
  state.waiting = true;
  waiting_.push_back(entity);
}

void CrossIndex::erase(EntityIndex entity, std::vector<SensorIndex>& had) {
  Buffer<Pair> pairs;
  erase_all(std::span(&entity, 1), pairs);
  for (const Pair& pair : pairs.all()) had.push_back(pair.sensor);
}

// One pass over the candidates of each sensor around, however many of them go.
void CrossIndex::erase_all(std::span<const EntityIndex> entities, Buffer<Pair>& had) {
  std::vector<SensorIndex> around;
  for (const EntityIndex entity : entities) {
    anchored_[entity].known = false;
    around.insert(around.end(), observers_[entity].begin(), observers_[entity].end());
    observers_[entity].clear();
  }
  std::sort(around.begin(), around.end());
  around.erase(std::unique(around.begin(), around.end()), around.end());
  for (const SensorIndex sensor : around) {
    auto& entries = sensings_[sensor].entries;
    std::size_t kept = 0;
    gone_.clear();
    for (const std::uint32_t one : entries) {
      if (anchored_[one & ~kInRange].known) {
        entries[kept++] = one;
        continue;
      }
      gone_.push_back(one & ~kInRange);
      if ((one & kInRange) != 0) had.push_back({sensor, one & ~kInRange});
    }
    entries.resize(kept);
    for (const EntityIndex one : gone_) forget_candidate(sensor, one);
  }
  for (const EntityIndex entity : entities) {
    take_nodes(entity);
    anchored_[entity] = {};  // lists that still name it find that its marks are clear
    --known_;
  }
}

void CrossIndex::move(EntityIndex entity) {
  const Position& at = scene_.spots[entity].at;
  points_[entity] = {at.x, at.y};
  Anchored& state = anchored_[entity];
  if (!state.moved) {
    state.moved = true;
    moved_.push_back(entity);
  }
  const float dx = std::fabs(at.x - anchors_[entity].x);
  const float dy = std::fabs(at.y - anchors_[entity].y);
  if (dx > slack_ || dy > slack_) wait(entity, false);
}

void CrossIndex::refilter(EntityIndex entity) {
  mark_around(entity, false);
}

void CrossIndex::attach(SensorIndex sensor) {
  if (sensings_.size() <= sensor) {
    sensings_.resize(scene_.watches.size());
  }
  sensings_[sensor] = {};
  sensings_[sensor].attached = true;
  rewatch(sensor);
}

void CrossIndex::rewatch(SensorIndex sensor) {
  const Watch& watch = scene_.watches[sensor];
  Sensing& sensing = sensings_[sensor];
  const float bound = bound_of(watch);
  mark_dirty(sensor, static_cast<std::uint32_t>(sensing.entries.size()));
  if (bound == sensing.bound) return;
  if (bound > sensing.bound) wait(watch.owner, true);
  count_bound(bound, true);
  if (sensing.bound != 0) count_bound(sensing.bound, false);
  sensing.bound = bound;
}

// Rounds up to the next quarter of a power of two times the usual bound. The division loses less
// than kRounding allows for.
float CrossIndex::bound_of(const Watch& watch) const {
  const float more = 2 * slack_ + kRounding;
  const float usual = reach_ + more;
  int exponent = 0;
  const float mantissa = std::frexp((watch.reach() + more) / usual, &exponent);
  return std::ldexp(std::ceil(mantissa * 8) / 8, exponent) * usual;
}

void CrossIndex::count_bound(float bound, bool more) {
  auto at = std::lower_bound(widths_.begin(), widths_.end(), bound,
                             [](const Width& one, float value) { return one.bound < value; });
  if (at == widths_.end() || at->bound != bound) at = widths_.insert(at, {bound, 0});
  if (more) {
    ++at->sensors;
  } else {
    --at->sensors;
  }
  if (at->sensors == 0) widths_.erase(at);
}

void CrossIndex::detach(SensorIndex sensor, std::vector<EntityIndex>& had) {
  Sensing& sensing = sensings_[sensor];
  for (const std::uint32_t one : sensing.entries) {
    const EntityIndex target = one & ~kInRange;
    if ((one & kInRange) != 0) had.push_back(target);
    if (std::exchange(anchored_[target].stale, true)) continue;
    stale_.push_back(target);
  }
  count_bound(sensing.bound, false);
  sensing = {};
}

// Before an index of a sensor can come again.
void CrossIndex::settle_stale() {
  for (const EntityIndex target : stale_) {
    anchored_[target].stale = false;
    std::erase_if(observers_[target], [&](SensorIndex one) { return !sensings_[one].attached; });
  }
  stale_.clear();
}

void CrossIndex::drop_observer(EntityIndex target, SensorIndex sensor) {
  auto& list = observers_[target];
  const auto at = std::find(list.begin(), list.end(), sensor);
  assert(at != list.end());
  *at = list.back();
  list.pop_back();
}

void CrossIndex::adopt(SensorIndex sensor, EntityIndex target) {
  std::uint32_t* at = entry(sensor, target);
  if (at == nullptr) {
    add_candidate(sensor, target);
    at = &sensings_[sensor].entries.back();
  }
  *at |= kInRange;
  mark_dirty(sensor, 1);
}

void CrossIndex::mark_dirty(SensorIndex sensor, std::uint32_t suspects) {
  Sensing& sensing = sensings_[sensor];
  sensing.suspects += suspects;
  if (sensing.dirty) return;
  sensing.dirty = true;
  dirty_.push_back(sensor);
}

// Marks all sensors that have the entity as a candidate, and its own sensors. If it was shifted, it
// may be out of bounds of each of the former, and so may some candidates of its own sensors.
void CrossIndex::mark_around(EntityIndex entity, bool shifted) {
  for (const SensorIndex sensor : observers_[entity]) {
    if (sensings_[sensor].attached) mark_dirty(sensor, shifted ? 1 : 0);
  }
  each_sensor(entity, [&](SensorIndex sensor) {
    const std::size_t some = shifted ? sensings_[sensor].entries.size() / 8 + 1 : 0;
    mark_dirty(sensor, static_cast<std::uint32_t>(some));
  });
}

bool CrossIndex::in_bounds(SensorIndex sensor, EntityIndex target) const {
  const Point& from = anchors_[scene_.watches[sensor].owner];
  const Point& at = anchors_[target];
  const float bound = sensings_[sensor].bound;
  return at.x >= from.x - bound && at.x <= from.x + bound && at.y >= from.y - bound &&
         at.y <= from.y + bound;
}

const std::uint32_t* CrossIndex::entry(SensorIndex sensor, EntityIndex target) const {
  const auto& entries = sensings_[sensor].entries;
  const auto at = std::find_if(entries.begin(), entries.end(),
                               [target](std::uint32_t one) { return (one & ~kInRange) == target; });
  return at == entries.end() ? nullptr : &*at;
}

std::uint32_t* CrossIndex::entry(SensorIndex sensor, EntityIndex target) {
  return const_cast<std::uint32_t*>(std::as_const(*this).entry(sensor, target));
}

// Called if the target may have become a candidate.
void CrossIndex::consider(SensorIndex sensor, EntityIndex target) {
  if (scene_.watches[sensor].owner == target || !in_bounds(sensor, target)) return;
  if (is_candidate(sensings_[sensor], target)) return;
  add_candidate(sensor, target);
  mark_dirty(sensor, 0);
}

bool CrossIndex::is_candidate(const Sensing& sensing, EntityIndex target) const {
  if (sensing.dense) {
    const std::size_t word = target / 64;
    return word < sensing.candidate_bits.size() &&
           (sensing.candidate_bits[word] >> target % 64 & 1) != 0;
  }
  return std::any_of(sensing.entries.begin(), sensing.entries.end(),
                     [target](std::uint32_t one) { return (one & ~kInRange) == target; });
}

void CrossIndex::add_candidate(SensorIndex sensor, EntityIndex target) {
  Sensing& sensing = sensings_[sensor];
  sensing.entries.push_back(target);
  observers_[target].push_back(sensor);
  const auto mark = [&](EntityIndex one) {
    if (sensing.candidate_bits.size() <= one / 64)
      sensing.candidate_bits.resize(anchored_.size() / 64 + 1);
    sensing.candidate_bits[one / 64] |= std::uint64_t{1} << one % 64;
  };
  if (sensing.dense) return mark(target);
  const std::size_t size = sensing.entries.size();
  if (size < kCrowd || size * kBitsPerCandidate < anchored_.size()) return;
  sensing.dense = true;
  for (const std::uint32_t one : sensing.entries) mark(one & ~kInRange);
}

// The target is no longer among the entries.
void CrossIndex::forget_candidate(SensorIndex sensor, EntityIndex target) {
  Sensing& sensing = sensings_[sensor];
  if (!sensing.dense) return;
  if (sensing.entries.size() < kCrowd / 2) {
    sensing.dense = false;
    sensing.candidate_bits = {};
    return;
  }
  sensing.candidate_bits[target / 64] &= ~(std::uint64_t{1} << target % 64);
}

}  // namespace starbus::aoi
