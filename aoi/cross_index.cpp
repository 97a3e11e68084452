#include "aoi/cross_index.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "aoi/measure.hpp"

namespace starbus::aoi {
namespace {

// More candidates against fewer shifts. Who walks at random by 3 m at most needs some forty steps
// to leave eight metres.
constexpr float kSlackShare = 0.25F;  // of the usual reach
constexpr float kMostSlack = 8;       // m
constexpr float kLeastSlack = 0.5F;   // m
// What rounding of coordinates up to kMaxCoordinate can make of a difference.
constexpr float kRounding = 0.3F;
// To walk farther than so many reaches costs more than to be inserted anew.
constexpr float kFar = 2;
// When more than one in so many has to be inserted, all lists are made anew.
constexpr std::size_t kManyShare = 8;
// When more than one in so many has moved, nearly every sensor has somebody to look at.
constexpr std::size_t kMovedShare = 4;
// Candidates are dropped when one in so many may be out of bounds.
constexpr std::size_t kSuspectShare = 4;
// A crowd's candidates are also kept as bits, where these need no more than four times the memory.
constexpr std::size_t kCrowd = 64;
constexpr std::size_t kBitsPerCandidate = 128;

}  // namespace

CrossIndex::CrossIndex(const Scene& scene, float reach)
    : scene_(scene),
      reach_(reach),
      slack_(std::clamp(reach * kSlackShare, kLeastSlack, kMostSlack)) {}

template <class Visitor>
void CrossIndex::each_sensor(EntityIndex entity, const Visitor& visitor) const {
  for (SensorIndex s = scene_.first_sensor[entity]; s != kNone; s = scene_.watches[s].next) {
    if (s < sensings_.size() && sensings_[s].attached) visitor(s);
  }
}

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
  for (const SensorIndex sensor : observers_[entity]) {
    auto& entries = sensings_[sensor].entries;
    std::uint32_t* const at = entry(sensor, entity);
    if ((*at & kInRange) != 0) had.push_back(sensor);
    *at = entries.back();
    entries.pop_back();
    forget_candidate(sensor, entity);
  }
  observers_[entity].clear();
  take_nodes(entity);
  anchored_[entity] = {};  // what lists still name it look for its marks there
  --known_;
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
  touch_around(entity, false);
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
  const float bound = watch.reach() + 2 * slack_ + kRounding;
  touch(sensor, static_cast<std::uint32_t>(sensing.entries.size()));
  if (bound == sensing.bound) return;
  if (sensing.listed) {  // with the old bound; the new one comes with the next look
    for (AxisList& axis : axes_) {
      axis.erase(Ref(Kind::lower, sensor));
      axis.erase(Ref(Kind::upper, sensor));
    }
    sensing.listed = false;
  }
  sensing.bound = bound;
  widest_ = std::max(widest_, bound);
  wait(watch.owner, true);
}

void CrossIndex::detach(SensorIndex sensor, std::vector<EntityIndex>& had) {
  Sensing& sensing = sensings_[sensor];
  for (const std::uint32_t one : sensing.entries) {
    const EntityIndex target = one & ~kInRange;
    if ((one & kInRange) != 0) had.push_back(target);
    drop_observer(target, sensor);
  }
  if (sensing.listed) {
    for (AxisList& axis : axes_) {
      axis.erase(Ref(Kind::lower, sensor));
      axis.erase(Ref(Kind::upper, sensor));
    }
  }
  sensing = {};
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
  touch(sensor, 1);
}

void CrossIndex::touch(SensorIndex sensor, std::uint32_t suspects) {
  Sensing& sensing = sensings_[sensor];
  sensing.suspects += suspects;
  if (sensing.touched) return;
  sensing.touched = true;
  touched_.push_back(sensor);
}

// All whose candidate it is, and its own sensors. If it was shifted, it may be out of the bounds of
// each, and of its own sensors' candidates some.
void CrossIndex::touch_around(EntityIndex entity, bool shifted) {
  for (const SensorIndex sensor : observers_[entity]) touch(sensor, shifted ? 1 : 0);
  each_sensor(entity, [&](SensorIndex sensor) {
    const std::size_t some = shifted ? sensings_[sensor].entries.size() / 8 + 1 : 0;
    touch(sensor, static_cast<std::uint32_t>(some));
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

// May have become a candidate.
void CrossIndex::consider(SensorIndex sensor, EntityIndex target) {
  if (scene_.watches[sensor].owner == target || !in_bounds(sensor, target)) return;
  if (is_candidate(sensings_[sensor], target)) return;
  add_candidate(sensor, target);
  touch(sensor, 0);
}

bool CrossIndex::is_candidate(const Sensing& sensing, EntityIndex target) const {
  if (sensing.dense) {
    const std::size_t word = target / 64;
    return word < sensing.held.size() && (sensing.held[word] >> target % 64 & 1) != 0;
  }
  return std::any_of(sensing.entries.begin(), sensing.entries.end(),
                     [target](std::uint32_t one) { return (one & ~kInRange) == target; });
}

void CrossIndex::add_candidate(SensorIndex sensor, EntityIndex target) {
  Sensing& sensing = sensings_[sensor];
  sensing.entries.push_back(target);
  observers_[target].push_back(sensor);
  const auto mark = [&](EntityIndex one) {
    if (sensing.held.size() <= one / 64) sensing.held.resize(anchored_.size() / 64 + 1);
    sensing.held[one / 64] |= std::uint64_t{1} << one % 64;
  };
  if (sensing.dense) return mark(target);
  const std::size_t size = sensing.entries.size();
  if (size < kCrowd || size * kBitsPerCandidate < anchored_.size()) return;
  sensing.dense = true;
  for (const std::uint32_t one : sensing.entries) mark(one & ~kInRange);
}

// It is no longer among the entries.
void CrossIndex::forget_candidate(SensorIndex sensor, EntityIndex target) {
  Sensing& sensing = sensings_[sensor];
  if (!sensing.dense) return;
  if (sensing.entries.size() < kCrowd / 2) {
    sensing.dense = false;
    sensing.held = {};
    return;
  }
  sensing.held[target / 64] &= ~(std::uint64_t{1} << target % 64);
}

void CrossIndex::consider_both(EntityIndex a, EntityIndex b) {
  if (scene_.observable[b] != 0) each_sensor(a, [&](SensorIndex sensor) { consider(sensor, b); });
  if (scene_.observable[a] != 0) each_sensor(b, [&](SensorIndex sensor) { consider(sensor, a); });
}

void CrossIndex::take_nodes(EntityIndex entity) {
  const bool listed = anchored_[entity].listed;
  for (AxisList& axis : axes_) {
    if (listed && scene_.observable[entity] != 0) axis.erase(Ref(Kind::centre, entity));
    each_sensor(entity, [&](SensorIndex sensor) {
      if (!sensings_[sensor].listed) return;
      axis.erase(Ref(Kind::lower, sensor));
      axis.erase(Ref(Kind::upper, sensor));
    });
  }
  each_sensor(entity, [&](SensorIndex sensor) { sensings_[sensor].listed = false; });
  anchored_[entity].listed = false;
}

void CrossIndex::settle_waiting() {
  std::erase_if(waiting_, [&](EntityIndex entity) { return !anchored_[entity].waiting; });
  const auto far = static_cast<std::size_t>(
      std::count_if(waiting_.begin(), waiting_.end(), [&](EntityIndex entity) {
        Anchored& state = anchored_[entity];
        const float dx = std::fabs(points_[entity].x - anchors_[entity].x);
        const float dy = std::fabs(points_[entity].y - anchors_[entity].y);
        state.far = state.far || std::max(dx, dy) > kFar * reach_;
        return state.far;
      }));
  if (far * kManyShare > known_) {
    rebuild();
  } else {
    for (const EntityIndex entity : waiting_) {
      anchored_[entity].far ? put_anew(entity) : shift(entity);
    }
  }
  for (const EntityIndex entity : waiting_) {
    touch_around(entity, true);
    anchored_[entity].waiting = anchored_[entity].far = false;
  }
  waiting_.clear();
}

// The bound that leads and the centre find new candidates; the bound that trails finds none.
void CrossIndex::shift(EntityIndex entity) {
  const Point old = anchors_[entity];
  anchors_[entity] = points_[entity];
  for (std::size_t which = 0; which < axes_.size(); ++which) {
    AxisList& axis = axes_[which];
    const float key = anchors_[entity].on(which);
    if (key == old.on(which)) continue;
    const bool up = key > old.on(which);
    const auto nothing = [](std::uint32_t) {};
    each_sensor(entity, [&](SensorIndex sensor) {
      const float bound = sensings_[sensor].bound;
      const auto found = [&](std::uint32_t target) { consider(sensor, target); };
      const Ref upper(Kind::upper, sensor);
      const Ref lower(Kind::lower, sensor);
      if (up) {
        axis.shift(upper, key + bound, Kind::centre, found);
        axis.shift(lower, key - bound, Kind::centre, nothing);
      } else {
        axis.shift(lower, key - bound, Kind::centre, found);
        axis.shift(upper, key + bound, Kind::centre, nothing);
      }
    });
    if (scene_.observable[entity] == 0) continue;
    axis.shift(Ref(Kind::centre, entity), key, up ? Kind::lower : Kind::upper,
               [&](std::uint32_t sensor) { consider(sensor, entity); });
  }
}

void CrossIndex::put_anew(EntityIndex entity) {
  take_nodes(entity);
  anchors_[entity] = points_[entity];
  const Point& at = anchors_[entity];
  for (std::size_t which = 0; which < axes_.size(); ++which) {
    const float key = at.on(which);
    if (scene_.observable[entity] != 0) axes_[which].insert(Ref(Kind::centre, entity), key);
    each_sensor(entity, [&](SensorIndex sensor) {
      axes_[which].insert(Ref(Kind::lower, sensor), key - sensings_[sensor].bound);
      axes_[which].insert(Ref(Kind::upper, sensor), key + sensings_[sensor].bound);
    });
  }
  anchored_[entity].listed = true;
  each_sensor(entity, [&](SensorIndex sensor) {
    sensings_[sensor].listed = true;
    const float bound = sensings_[sensor].bound;
    axes_[0].visit(at.x - bound, at.x + bound, [&](Ref ref) {
      if (ref.kind() == Kind::centre) consider(sensor, ref.index());
    });
  });
  if (scene_.observable[entity] == 0) return;
  // Whose lower bound is so near can hold it; the upper bound is checked with the rest.
  axes_[0].visit(at.x - 2 * widest_, at.x, [&](Ref ref) {
    if (ref.kind() == Kind::lower) consider(ref.index(), entity);
  });
}

// All lists at once, and one sweep along x for all candidates.
void CrossIndex::rebuild() {
  std::vector<AxisList::Node> nodes[2];
  std::vector<EntityIndex> order;
  widest_ = 0;
  for (EntityIndex entity = 0; entity < anchored_.size(); ++entity) {
    if (!anchored_[entity].known) continue;
    anchors_[entity] = points_[entity];
    anchored_[entity].listed = true;
    order.push_back(entity);
    for (std::size_t which = 0; which < 2; ++which) {
      const float key = anchors_[entity].on(which);
      if (scene_.observable[entity] != 0) {
        nodes[which].push_back({key, Ref(Kind::centre, entity)});
      }
      each_sensor(entity, [&](SensorIndex sensor) {
        const float bound = sensings_[sensor].bound;
        sensings_[sensor].listed = true;
        sensings_[sensor].suspects += static_cast<std::uint32_t>(sensings_[sensor].entries.size());
        widest_ = std::max(widest_, bound);
        nodes[which].push_back({key - bound, Ref(Kind::lower, sensor)});
        nodes[which].push_back({key + bound, Ref(Kind::upper, sensor)});
      });
    }
  }
  axes_[0].assign(std::move(nodes[0]));
  axes_[1].assign(std::move(nodes[1]));
  std::sort(order.begin(), order.end(), [&](EntityIndex a, EntityIndex b) {
    return anchors_[a].x != anchors_[b].x ? anchors_[a].x < anchors_[b].x : a < b;
  });
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Point& from = anchors_[order[i]];
    for (std::size_t j = i + 1; j < order.size(); ++j) {
      const Point& to = anchors_[order[j]];
      if (to.x - from.x > widest_) break;
      if (std::fabs(to.y - from.y) <= widest_) consider_both(order[i], order[j]);
    }
  }
}

void CrossIndex::settle_moved() {
  const bool many = moved_.size() * kMovedShare > known_;
  for (const EntityIndex entity : moved_) {
    if (!anchored_[entity].moved) continue;
    anchored_[entity].moved = false;
    if (!many) touch_around(entity, false);
  }
  moved_.clear();
  if (!many) return;
  for (SensorIndex sensor = 0; sensor < sensings_.size(); ++sensor) {
    if (sensings_[sensor].attached) touch(sensor, 0);
  }
}

void CrossIndex::touched(std::vector<Touched>& out) {
  settle_waiting();
  settle_moved();
  for (const SensorIndex sensor : touched_) {
    if (sensings_[sensor].touched) {
      out.push_back({sensor, sensings_[sensor].entries.size()});
    }
  }
}

void CrossIndex::look(Flips& flips, const std::vector<std::uint8_t>* skip) {
  settle_waiting();
  settle_moved();
  std::size_t kept = 0;
  for (const SensorIndex sensor : touched_) {
    if (!sensings_[sensor].touched) continue;
    if (skip != nullptr && (*skip)[sensor] != 0) {
      touched_[kept++] = sensor;
      continue;
    }
    sensings_[sensor].touched = false;
    look_from(sensor, flips);
  }
  touched_.resize(kept);
}

bool CrossIndex::accepts(const Watch& watch, EntityIndex target, bool was) const {
  const Position& from = scene_.spots[watch.owner].at;
  const Position& at = scene_.spots[target].at;
  const float limit = limit_of(scene_.metric, was ? watch.reach() : watch.radius);
  if (!(measure(scene_.metric, at.x - from.x, at.y - from.y) <= limit)) return false;
  const float dz = at.z - from.z;
  if (watch.has_height && !(dz >= watch.min_height && dz <= watch.max_height)) return false;
  return scene_.filters.passes(watch.filter, scene_.flags[target]);
}

template <class Accept>
void CrossIndex::test_entries(SensorIndex sensor, Flips& flips, const Accept& accept) {
  for (std::uint32_t& one : sensings_[sensor].entries) {
    const EntityIndex target = one & ~kInRange;
    const bool was = (one & kInRange) != 0;
    const bool is = accept(target, was);
    if (was == is) continue;
    one ^= kInRange;
    if (is) {
      flips.enter(target);
    } else {
      flips.leave(target);
    }
  }
}

void CrossIndex::look_from(SensorIndex sensor, Flips& flips) {
  const Watch& watch = scene_.watches[sensor];
  const bool simple = scene_.metric == Metric::circle && watch.filter == 0 && !watch.has_height &&
                      !watch.has_margin;
  if (simple) {
    const Point from = points_[watch.owner];
    const float limit = limit_of(Metric::circle, watch.radius);
    test_entries(sensor, flips, [&](EntityIndex target, bool) {
      const Point& at = points_[target];
      return measure(Metric::circle, at.x - from.x, at.y - from.y) <= limit;
    });
  } else {
    test_entries(sensor, flips,
                 [&](EntityIndex target, bool was) { return accepts(watch, target, was); });
  }
  ++flips.looked;
  flips.pair_tests += sensings_[sensor].entries.size();
  flips.close(sensor, watch);
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
    if (sensing.dense) sensing.held[one / 64] &= ~(std::uint64_t{1} << one % 64);
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

// Nodes stand within the slack of their entities; those that wait may be anywhere.
void CrossIndex::visit(const Box& box, const std::function<void(EntityIndex)>& visitor) const {
  const float wide = slack_ + kRounding;
  axes_[0].visit(box.min.x - wide, box.max.x + wide, [&](Ref ref) {
    if (ref.kind() != Kind::centre || anchored_[ref.index()].waiting) return;
    const float y = anchors_[ref.index()].y;
    if (y >= box.min.y - wide && y <= box.max.y + wide) visitor(ref.index());
  });
  for (const EntityIndex entity : waiting_) {
    if (anchored_[entity].waiting && scene_.observable[entity] != 0) visitor(entity);
  }
}

std::uint64_t CrossIndex::memory() const {
  std::uint64_t bytes =
      axes_[0].memory() + axes_[1].memory() + anchored_.capacity() * sizeof(Anchored) +
      (anchors_.capacity() + points_.capacity()) * sizeof(Point) +
      observers_.capacity() * sizeof(observers_[0]) + sensings_.capacity() * sizeof(Sensing);
  for (const auto& list : observers_) bytes += list.capacity() * sizeof(SensorIndex);
  for (const Sensing& sensing : sensings_) {
    bytes += sensing.entries.capacity() * sizeof(std::uint32_t) + sensing.held.capacity() * 8;
  }
  return bytes;
}

}  // namespace starbus::aoi
