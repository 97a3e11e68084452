#include "nodes/runtime/turn.hpp"

#include <algorithm>

#include "base/unit_guard.hpp"

namespace starbus::nodes {

Turn::Done Turn::run() {
  Done done;
  const Time begun = clock_();
  const bool more_timers = fire(done, begun);
  // Half of the pass is theirs, however long the timers took: results of tasks are closures, and a
  // tick that is always late would else let in one of them.
  const bool more_closures = run_closures(done, std::max(begun, clock_() - limits_.time / 2));
  done.more = more_timers || more_closures;
  if (!done.more) done.next = timers_.next_due();
  return done;
}

/// Timers may use half of the pass; true if more are due.
bool Turn::fire(Done& done, Time begun) {
  for (Time now = begun;; now = clock_()) {
    const entity::TimerWheel::Pass pass = timers_.advance(now, kTimerSlice);
    done.timers += pass.fired;
    if (!pass.more) return false;
    if (clock_() - begun >= limits_.time / 2) return true;
  }
}

/// True if the queue may have more.
bool Turn::run_closures(Done& done, Time begun) {
  while (done.closures < limits_.closures) {
    const std::optional<Work> work = queue_.take();
    if (!work) return false;
    {
      const Load::Scope scope(load_, load_.source(work->name));
      guarded(
          UnitKind::closure, [&] { return work->name.text(); }, work->run);
    }
    ++done.closures;
    if (clock_() - begun >= limits_.time) return true;
  }
  return true;
}

}  // namespace starbus::nodes
