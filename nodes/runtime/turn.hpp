/// One pass of the loop over due timers, then over posted closures.
///
/// Sans-IO: the caller passes the clock and decides when to call run(). Bounded in count and in
/// time, so that links get their turn; closures have at least half of the time, and each pass runs
/// at least one slice of timers and one closure. Belongs to the loop's thread; owns nothing.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>

#include "entity/timers/timer_wheel.hpp"
#include "nodes/runtime/load/load.hpp"
#include "nodes/runtime/tasks/work_queue.hpp"

namespace starbus::nodes {

/// Bounds of one pass.
struct TurnLimits {
  std::size_t closures = kPassWork;
  std::chrono::nanoseconds time = kPassTime;
};

class Turn {
 public:
  using Time = entity::Time;
  using Clock = std::function<Time()>;

  struct Done {
    std::size_t timers = 0;
    std::size_t closures = 0;
    bool more = false;         // run again, after other work that came meanwhile
    std::optional<Time> next;  // else: when the next timer is due, if there is one
  };

  Turn(WorkQueue& queue, entity::TimerWheel& timers, Load& load, Clock clock,
       TurnLimits limits = {})
      : queue_(queue), timers_(timers), load_(load), clock_(std::move(clock)), limits_(limits) {}

  /// One pass.
  Done run();

 private:
  bool fire(Done& done, Time begun);
  bool run_closures(Done& done, Time begun);

  WorkQueue& queue_;
  entity::TimerWheel& timers_;
  Load& load_;
  Clock clock_;
  TurnLimits limits_;
};

}  // namespace starbus::nodes
