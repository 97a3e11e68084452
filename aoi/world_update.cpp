// One update: who looks, what has changed, and in which order that is told.
#include <algorithm>
#include <cassert>
#include <chrono>
#include <cmath>

#include "aoi/measure.hpp"
#include "aoi/recording.hpp"
#include "aoi/world_impl.hpp"

namespace starbus::aoi {

Result<UpdateReport> World::Impl::begin_update() {
  if (telling_) return Errc::busy;
  if (recorder != nullptr) recorder->update();
  UpdateReport report;
  report.update = ++update_;
  report.refused = std::exchange(refused_, 0);
  entity_ids_.advance(update_);
  sensor_ids_.advance(update_);
  evictions_ = 0;
  flips_.clear();
  const std::uint64_t searched =
      symmetric_->update(options.budget.pair_tests, options.budget.max_staleness);
  const auto by_entity = [](const Reflagged& a, const Reflagged& b) { return a.entity < b.entity; };
  std::sort(reflagged_.begin(), reflagged_.end(), by_entity);
  look(choose(report));
  find_entries();
  take_flips();
  event_count = 0;
  tell(flips_.leaves, extra_leaves_, Kind::leave);
  tell(flips_.enters, extra_enters_, Kind::enter);
  for (const Reflagged& row : reflagged_) entities_[row.entity].reflagged = false;
  reflagged_.clear();
  released_.clear();
  report.pair_tests = flips_.pair_tests + searched;
  report.looked = flips_.looked;
  report.put_off += symmetric_->waiting();
  report.events = event_count;
  report.limit_evictions = evictions_;
  telling_ = true;
  return report;
}

void World::Impl::look(const std::vector<std::uint8_t>* skip) {
  if (options.budget.microseconds == 0) {
    index_->look(flips_, skip);
    return;
  }
  const auto begin = std::chrono::steady_clock::now();
  index_->look(flips_, skip);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
  if (flips_.pair_tests != 0) {
    seconds_per_test_ = spent.count() / static_cast<double>(flips_.pair_tests);
  }
}

void World::Impl::end_update() noexcept {
  telling_ = false;
  for (const std::uint32_t id : ended_handlers_) handlers_.erase(id);
  ended_handlers_.clear();
  for (const auto& operation : later_) {
    if (!operation()) ++refused_;
  }
  later_.clear();
}

const World::Handler* World::Impl::handler_of(SensorId sensor) const {
  const auto own = handlers_.find(sensor.value);
  return own == handlers_.end() ? nullptr : &own->second;
}

// Null: everybody looks. Otherwise the bytes of those that do not.
const std::vector<std::uint8_t>* World::Impl::choose(UpdateReport& report) {
  const Budget& budget = options.budget;
  const bool bounded = budget.pair_tests != 0 || budget.microseconds != 0;
  if (!bounded && with_period_ == 0) return nullptr;
  skip_.assign(sensors_.size(), 0);
  if (with_period_ != 0) {
    for (SensorIndex sensor = 0; sensor < sensors_.size(); ++sensor) {
      const std::uint32_t period = sensors_[sensor].period;
      // Its index spreads them over the updates.
      if (period > 1 && (update_ + sensor) % period != 0) skip_[sensor] = 1;
    }
  }
  if (bounded) choose_by_budget(report);
  return &skip_;
}

// The most urgent look until the budget is used: those that may wait no longer in any case, then by
// how long they have waited, weighed by their priority and by how far they have gone meanwhile.
void World::Impl::choose_by_budget(UpdateReport& report) {
  struct Urgent {
    float urgency;
    Touched touched;
  };
  const Budget& budget = options.budget;
  looked_from_.resize(sensors_.size());
  touched_.clear();
  index_->touched(touched_);
  std::vector<Urgent> urgent;
  for (const Touched& one : touched_) {
    if (skip_[one.sensor] != 0) continue;
    const SensorRow& row = sensors_[one.sensor];
    const Watch& watch = scene_.watches[one.sensor];
    const Position& at = scene_.spots[watch.owner].at;
    const Position& from = looked_from_[one.sensor];
    const float gone = std::sqrt(distance_squared(at.x - from.x, at.y - from.y));
    const float waited = static_cast<float>(row.put_off + 1);
    const float urgency = row.put_off >= budget.max_staleness
                              ? std::numeric_limits<float>::infinity()
                              : waited * static_cast<float>(row.priority) *
                                    (1 + gone / std::max(watch.reach(), 1.0F));
    urgent.push_back({urgency, one});
  }
  std::sort(urgent.begin(), urgent.end(), [](const Urgent& a, const Urgent& b) {
    return a.urgency != b.urgency ? a.urgency > b.urgency : a.touched.sensor < b.touched.sensor;
  });
  std::uint64_t tests = 0;
  bool full = false;
  for (const Urgent& one : urgent) {
    const SensorIndex sensor = one.touched.sensor;
    SensorRow& row = sensors_[sensor];
    const bool must = row.put_off >= budget.max_staleness;
    full = full ||
           (budget.pair_tests != 0 && tests + one.touched.cost > budget.pair_tests && tests != 0);
    if (budget.microseconds != 0) {
      // At the pace of the last update.
      const double expected = static_cast<double>(tests) * seconds_per_test_ * 1e6;
      full = full || expected > static_cast<double>(budget.microseconds);
    }
    if (full && !must) {
      skip_[sensor] = 1;
      ++row.put_off;
      ++report.put_off;
      report.staleness = std::max<std::uint32_t>(report.staleness, row.put_off);
      continue;
    }
    if (full) ++report.overdue;
    tests += one.touched.cost;
    row.put_off = 0;
    looked_from_[sensor] = scene_.spots[scene_.watches[sensor].owner].at;
  }
}

bool World::Impl::failed_before(SensorIndex sensor, EntityIndex target) const {
  const auto row = std::lower_bound(
      reflagged_.begin(), reflagged_.end(), target,
      [](const Reflagged& one, EntityIndex entity) { return one.entity < entity; });
  assert(row != reflagged_.end() && row->entity == target);
  return !scene_.filters.passes(scene_.watches[sensor].filter, row->before);
}

Reason World::Impl::reason_of(const Pair& pair, Kind kind) const {
  const Watch& watch = scene_.watches[pair.sensor];
  if (watch.filter == 0) return Reason::geometry;
  if (kind == Kind::leave) {
    const bool passes = scene_.filters.passes(watch.filter, scene_.flags[pair.target]);
    return passes ? Reason::geometry : Reason::filter;
  }
  const bool flags = entities_[pair.target].reflagged && failed_before(pair.sensor, pair.target);
  return flags ? Reason::filter : Reason::geometry;
}

// Which entries of the flips are of which managed sensor: a list, nearly always of one.
void World::Impl::find_entries() {
  for (const SensorIndex sensor : with_entries_) first_entry_[sensor] = kNone;
  with_entries_.clear();
  first_entry_.resize(sensors_.size(), kNone);
  later_entry_.assign(flips_.entries.size(), kNone);
  for (std::uint32_t i = 0; i < flips_.entries.size(); ++i) {
    const SensorIndex sensor = flips_.entries[i].sensor;
    std::uint32_t& first = first_entry_[sensor];
    if (first == kNone) with_entries_.push_back(sensor);
    later_entry_[i] = first;
    first = i;
  }
}

// Where the pairs or events of each sensor begin, in order of sensors.
template <class List, class SensorOf>
void World::Impl::count_by_sensor(const List& list, const SensorOf& sensor_of) {
  starts_.assign(sensor_ids_.size() + 1, 0);
  for (const auto& one : list) ++starts_[sensor_of(one) + 1];
  std::uint32_t sum = 0;
  for (std::uint32_t& start : starts_) start = sum += start;
}

// Appends to the events what plain sensors have found and what is extra, by (sensor, target).
void World::Impl::tell(std::vector<Pair>& plain, std::vector<Event>& extra, Kind kind) {
  if (!extra.empty()) {
    count_by_sensor(extra, [](const Event& event) { return event.sensor.index(); });
    sorted_events_.resize(extra.size());
    for (const Event& event : extra) sorted_events_[starts_[event.sensor.index()]++] = event;
  }
  if (!plain.empty()) {
    count_by_sensor(plain, [](const Pair& pair) { return pair.sensor; });
    sorted_pairs_.resize(plain.size());
    for (const Pair& pair : plain) sorted_pairs_[starts_[pair.sensor]++] = pair;
  }
  const std::size_t most = event_count + plain.size() + extra.size();
  if (events.size() < most) events.resize(most);
  const auto none = [](const auto& list, std::size_t size, std::size_t at) {
    return at == size ? kNone : list(at);
  };
  std::size_t pair = 0;
  std::size_t event = 0;
  while (pair < plain.size() || event < extra.size()) {
    const SensorIndex of_pair =
        none([&](std::size_t i) { return sorted_pairs_[i].sensor; }, plain.size(), pair);
    const SensorIndex of_event =
        none([&](std::size_t i) { return sorted_events_[i].sensor.index(); }, extra.size(), event);
    const SensorIndex sensor = std::min(of_pair, of_event);
    const std::size_t begin = event_count;
    if (of_pair == sensor) pair = tell_plain(pair, plain.size(), kind);
    while (event < extra.size() && sorted_events_[event].sensor.index() == sensor) {
      events[event_count++] = sorted_events_[event++];
    }
    sort_targets(begin);
  }
  extra.clear();
}

// All pairs of one sensor; gives where the next one's begin.
std::size_t World::Impl::tell_plain(std::size_t at, std::size_t end, Kind kind) {
  const SensorIndex sensor = sorted_pairs_[at].sensor;
  const Watch& watch = scene_.watches[sensor];
  Event event;
  event.sensor = SensorId{sensors_[sensor].id};
  event.observer = id_of(watch.owner);
  event.kind = kind;
  for (; at < end && sorted_pairs_[at].sensor == sensor; ++at) {
    event.target = id_of(sorted_pairs_[at].target);
    if (watch.filter != 0) event.reason = reason_of(sorted_pairs_[at], kind);
    events[event_count++] = event;
  }
  return at;
}

// The events of one sensor, from `begin` to the last, by target.
void World::Impl::sort_targets(std::size_t begin) {
  constexpr std::size_t kFew = 32;
  const std::size_t count = event_count - begin;
  if (count < 2) return;
  Event* const of = events.data() + begin;
  if (count > kFew) {
    std::sort(of, of + count,
              [](const Event& a, const Event& b) { return a.target.index() < b.target.index(); });
    return;
  }
  // Everybody's place is the number of those that are smaller: no branch that could be guessed
  // wrong.
  std::uint32_t keys[kFew];
  Event copy[kFew];
  for (std::size_t i = 0; i < count; ++i) {
    keys[i] = of[i].target.index();
    copy[i] = of[i];
  }
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t place = 0;
    for (std::size_t j = 0; j < count; ++j) place += keys[j] < keys[i] ? 1u : 0u;
    of[place] = copy[i];
  }
}

}  // namespace starbus::aoi
