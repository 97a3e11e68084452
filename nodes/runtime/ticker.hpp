/// The tick of a node: drives a schedule at a fixed rate, and measures what each function takes.
///
///   node.ticks().add({.name = "walk", .phase = entity::TickPhase::movement}, [...](const auto& t)
///   {...});
///
/// Belongs to the loop's thread; wheel and load outlive it. Ticks begin with the first function
/// that is added and end with the node, in all its states: a restart of busd does not stop the
/// world. Ticks are at multiples of the period, without drift, and functions see that time; a loop
/// that is late for several ticks runs one for all of them. Failures are values.
#pragma once

#include "entity/schedule/schedule.hpp"
#include "entity/timers/timer_wheel.hpp"
#include "nodes/runtime/load/load.hpp"

namespace starbus::nodes {

class Ticker {
 public:
  Ticker(entity::TimerWheel& wheel, Load& load, entity::Time period)
      : wheel_(wheel), load_(load), period_(period) {}
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;

  /// As TickSchedule::add. The function is measured as "tick NAME", and named when it blocks the
  /// loop; functions with one name are measured together.
  entity::TickResult<entity::TickId> add(entity::TickOptions options,
                                         entity::TickSchedule::Function function);
  /// For remove, run_after, set_interval and set_enabled. Do not call run().
  entity::TickSchedule& schedule() { return schedule_; }

  entity::Time period() const { return period_; }
  std::uint64_t ticks() const { return schedule_.ticks(); }
  /// Periods whose tick was merged into a later one.
  std::uint64_t missed() const { return missed_; }

 private:
  void begin();

  entity::TimerWheel& wheel_;
  Load& load_;
  const entity::Time period_;
  std::uint64_t missed_ = 0;
  entity::TickSchedule schedule_;
  entity::TimerOwner timer_;  // last: nothing ticks while the rest ends
};

}  // namespace starbus::nodes
