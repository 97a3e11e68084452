#include "aoi/world/schedule.hpp"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cmath>
#include <limits>

#include "aoi/measure.hpp"

namespace starbus::aoi {

void Schedule::add(SensorIndex sensor) {
  if (sensor >= evaluated_from_.size()) return;
  evaluated_from_[sensor] = tables_.scene.spots[tables_.owner_of(sensor)].at;
}

// Pair tests of the budget, including its microseconds at the pace of the last update. 0: no bound.
std::uint64_t Schedule::tests_of_budget() const {
  const Budget& budget = tables_.options.budget;
  if (budget.microseconds == 0 || seconds_per_test_ <= 0) return budget.pair_tests;
  const double timed = static_cast<double>(budget.microseconds) / (seconds_per_test_ * 1e6);
  const std::uint64_t tests = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(timed));
  return budget.pair_tests == 0 ? tests : std::min(tests, budget.pair_tests);
}

// A sensor finds no more changes than it tests pairs, but for those that have gone out of its
// reach: no more than all entities. Few worlds are so large that the pairs must be counted.
bool Schedule::is_countable(std::uint64_t most) {
  const std::uint64_t all = tables_.entity_ids.in_use();
  if (all * tables_.sensor_ids.in_use() <= most) return true;
  dirty_.clear();
  index_.dirty(dirty_);
  std::uint64_t sum = 0;
  for (const Dirty& one : dirty_) sum += one.cost;
  return sum <= most;
}

// Symmetric lists may use half of the budget, or all of it if there are no other sensors.
std::uint64_t Schedule::tests_for_lists() const {
  const std::uint64_t tests = tests_of_budget();
  return tables_.geometric_sensors == 0 ? tests : (tests + 1) / 2;
}

void Schedule::evaluate(Delta& delta, std::uint64_t spent, UpdateReport& report) {
  const std::vector<std::uint8_t>* skip = choose(spent, report);
  if (tables_.options.budget.microseconds == 0) {
    index_.evaluate(delta, skip);
  } else {
    evaluate_timed(delta, skip);
  }
}

void Schedule::evaluate_timed(Delta& delta, const std::vector<std::uint8_t>* skip) {
  const auto begin = std::chrono::steady_clock::now();
  index_.evaluate(delta, skip);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
  if (delta.pair_tests != 0) {
    seconds_per_test_ = spent.count() / static_cast<double>(delta.pair_tests);
  }
}

// Returns nullptr if all sensors are evaluated, otherwise a byte per sensor: set if it is skipped.
const std::vector<std::uint8_t>* Schedule::choose(std::uint64_t spent, UpdateReport& report) {
  if (!has_budget() && tables_.sensors_with_period == 0) return nullptr;
  skip_.assign(tables_.sensors.size(), 0);
  if (tables_.sensors_with_period != 0) skip_by_period();
  if (has_budget()) skip_by_budget(spent, report);
  return &skip_;
}

// The index of a sensor spreads sensors of one period over the updates.
void Schedule::skip_by_period() {
  for (SensorIndex sensor = 0; sensor < tables_.sensors.size(); ++sensor) {
    const std::uint32_t period = tables_.sensors[sensor].period;
    // One that the budget put off at its turn looks as soon as it may.
    if (period > 1 && tables_.sensors[sensor].put_off == 0 &&
        (tables_.update + sensor) % period != 0) {
      skip_[sensor] = 1;
    }
  }
}

// The most urgent sensors are evaluated until the budget is used up. The first is in any case, and
// so is each that was put off max_staleness times.
void Schedule::skip_by_budget(std::uint64_t spent, UpdateReport& report) {
  find_urgent();
  const std::uint64_t most = tests_of_budget();
  std::uint64_t tests = spent;
  bool any = false;
  bool full = false;
  for (const Urgent& one : urgent_) {
    const SensorIndex sensor = one.dirty.sensor;
    SensorRow& row = tables_.sensors[sensor];
    const bool must = row.put_off >= tables_.options.budget.max_staleness;
    full = full || (most != 0 && any && tests + one.dirty.cost > most);
    if (full && !must) {
      skip_[sensor] = 1;
      ++row.put_off;
      ++report.put_off;
      report.staleness = std::max<std::uint32_t>(report.staleness, row.put_off);
      continue;
    }
    if (full) ++report.overdue;
    any = true;
    tests += one.dirty.cost;
    row.put_off = 0;
    evaluated_from_[sensor] = tables_.scene.spots[tables_.owner_of(sensor)].at;
  }
}

// Lists the dirty sensors whose period does not skip them, most urgent first.
void Schedule::find_urgent() {
  for (auto sensor = static_cast<SensorIndex>(evaluated_from_.size());
       sensor < tables_.sensors.size(); ++sensor) {
    evaluated_from_.push_back(tables_.sensors[sensor].live
                                  ? tables_.scene.spots[tables_.owner_of(sensor)].at
                                  : Position{});
  }
  dirty_.clear();
  index_.dirty(dirty_);
  urgent_.clear();
  for (const Dirty& one : dirty_) {
    if (skip_[one.sensor] == 0) urgent_.push_back({urgency_of(one.sensor), one});
  }
  std::sort(urgent_.begin(), urgent_.end(), [](const Urgent& a, const Urgent& b) {
    return a.urgency != b.urgency ? a.urgency > b.urgency : a.dirty.sensor < b.dirty.sensor;
  });
}

// How long the sensor has waited, weighed by its priority and by how far its owner has moved
// meanwhile. Infinite if it may wait no longer.
float Schedule::urgency_of(SensorIndex sensor) const {
  const SensorRow& row = tables_.sensors[sensor];
  if (row.put_off >= tables_.options.budget.max_staleness) {
    return std::numeric_limits<float>::infinity();
  }
  const Watch& watch = tables_.scene.watches[sensor];
  const Position& at = tables_.scene.spots[watch.owner].at;
  const Position& from = evaluated_from_[sensor];
  const float moved = std::sqrt(distance_squared(at.x - from.x, at.y - from.y));
  return static_cast<float>(row.put_off + 1) * static_cast<float>(row.priority) *
         (1 + moved / std::max(watch.reach(), 1.0F));
}

}  // namespace starbus::aoi
