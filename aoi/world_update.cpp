// One update: who looks, and what follows. What has changed is told in world_tell.cpp.
#include <algorithm>
#include <cassert>
#include <chrono>
#include <cmath>
#include <limits>

#include "aoi/measure.hpp"
#include "aoi/replay/recording.hpp"
#include "aoi/world_impl.hpp"

namespace starbus::aoi {

Result<UpdateReport> World::Impl::begin_update() {
  if (telling_) return Errc::busy;
  if (recorder != nullptr) recorder->update();
  const auto begin = std::chrono::steady_clock::now();
  settle();
  forget_numberings();
  UpdateReport report;
  report.update = ++update_;
  report.refused = std::exchange(refused_, 0);
  entity_ids_.advance(update_);
  sensor_ids_.advance(update_);
  evictions_ = 0;
  flips_.start();
  const auto searched = symmetric_->update(tests_for_lists(), options.budget.max_staleness);
  const auto by_entity = [](const Reflagged& a, const Reflagged& b) { return a.entity < b.entity; };
  std::sort(reflagged_.begin(), reflagged_.end(), by_entity);
  look(choose(report, searched.tests));
  note_flips();
  find_entries();
  decide_pending();
  events.start();
  tell(extra_leaves_, leaving_, Kind::leave);
  events.start_enters();
  tell(extra_enters_, entering_, Kind::enter);
  flips_.rest();
  for (const Reflagged& row : reflagged_) entities_[row.entity].reflagged = false;
  reflagged_.clear();
  released_.clear();
  report.pair_tests = flips_.pair_tests + searched.tests;
  report.visited = flips_.visited;
  report.looked = flips_.looked + searched.done;
  report.put_off += symmetric_->waiting();
  report.overdue += searched.overdue;
  report.staleness = std::max(report.staleness, searched.staleness);
  report.events = events.size();
  report.limit_evictions = evictions_;
  report.microseconds =
      static_cast<std::uint32_t>(std::chrono::duration_cast<std::chrono::microseconds>(
                                     std::chrono::steady_clock::now() - begin)
                                     .count());
  sum_up(report);
  telling_ = true;
  return report;
}

void World::Impl::sum_up(const UpdateReport& report) {
  ++statistics.updates;
  statistics.pair_tests += report.pair_tests;
  statistics.visited += report.visited;
  statistics.events += report.events;
  statistics.limit_evictions += report.limit_evictions;
  statistics.looked += report.looked;
  statistics.put_off += report.put_off;
  statistics.refused += report.refused;
  statistics.microseconds += report.microseconds;
}

// Pair tests that the budget has, also that in microseconds at the pace of the last update. 0: no
// bound.
std::uint64_t World::Impl::tests_of_budget() const {
  const Budget& budget = options.budget;
  if (budget.microseconds == 0 || seconds_per_test_ <= 0) return budget.pair_tests;
  const double timed = static_cast<double>(budget.microseconds) / (seconds_per_test_ * 1e6);
  const std::uint64_t tests = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(timed));
  return budget.pair_tests == 0 ? tests : std::min(tests, budget.pair_tests);
}

// Symmetric lists may have half of it, or all if nobody else looks; the others have the rest.
std::uint64_t World::Impl::tests_for_lists() const {
  const std::uint64_t tests = tests_of_budget();
  return geometric_ == 0 ? tests : (tests + 1) / 2;
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
  awaited_.clear();
  awaited_hidden_.clear();
}

const World::Handler* World::Impl::handler_of(SensorId sensor) const {
  const auto own = handlers_.find(sensor.value);
  return own == handlers_.end() ? nullptr : own->second.get();
}

// Null: everybody looks. Otherwise the bytes of those that do not.
const std::vector<std::uint8_t>* World::Impl::choose(UpdateReport& report, std::uint64_t spent) {
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
  if (bounded) choose_by_budget(report, spent);
  return &skip_;
}

// The most urgent look until the budget is used: those that may wait no longer in any case, then by
// how long they have waited, weighed by their priority and by how far they have gone meanwhile.
void World::Impl::choose_by_budget(UpdateReport& report, std::uint64_t spent) {
  struct Urgent {
    float urgency;
    Touched touched;
  };
  const Budget& budget = options.budget;
  for (auto sensor = static_cast<SensorIndex>(looked_from_.size()); sensor < sensors_.size();
       ++sensor) {
    looked_from_.push_back(sensors_[sensor].live ? scene_.spots[scene_.watches[sensor].owner].at
                                                 : Position{});
  }
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
  const std::uint64_t most = tests_of_budget();
  std::uint64_t tests = spent;
  bool any = false;
  bool full = false;
  for (const Urgent& one : urgent) {
    const SensorIndex sensor = one.touched.sensor;
    SensorRow& row = sensors_[sensor];
    const bool must = row.put_off >= budget.max_staleness;
    full = full || (most != 0 && any && tests + one.touched.cost > most);
    if (full && !must) {
      skip_[sensor] = 1;
      ++row.put_off;
      ++report.put_off;
      report.staleness = std::max<std::uint32_t>(report.staleness, row.put_off);
      continue;
    }
    if (full) ++report.overdue;
    any = true;
    tests += one.touched.cost;
    row.put_off = 0;
    looked_from_[sensor] = scene_.spots[scene_.watches[sensor].owner].at;
  }
}

}  // namespace starbus::aoi
