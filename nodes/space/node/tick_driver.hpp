/// Runs the ticks of several spaces in one loop: a TickLine with a timer.
///
/// Belongs to the loop's thread; endpoint and wheel outlive it. One tick runs in a turn of the
/// loop; messages, timers and closures that wait come before the next one. A wheel without room for
/// its timer is asked again by wake().
#pragma once

#include <functional>
#include <memory>

#include "entity/rpc/endpoint.hpp"
#include "entity/timers/timer_wheel.hpp"
#include "nodes/space/node/tick_line.hpp"

namespace starbus::nodes::space {

class TickDriver {
 public:
  /// A tick to run; `took` of its result is measured around it.
  using Run = std::function<void(const TickLine::Due&)>;
  /// After it: when it has ended, and how long it took. Not for a space that it has removed.
  using Ran = std::function<void(const TickLine::Due&, entity::Time now, entity::Time took)>;

  TickDriver(entity::rpc::Endpoint& endpoint, entity::TimerWheel& timers, Run run, Ran ran)
      : endpoint_(endpoint), timers_(timers), run_(std::move(run)), ran_(std::move(ran)) {}
  TickDriver(const TickDriver&) = delete;
  TickDriver& operator=(const TickDriver&) = delete;

  /// As TickLine::add and remove; also within a tick.
  void add(TickLine::Id id, entity::Time period);
  void remove(TickLine::Id id) { line_.remove(id); }
  /// Sets its timer, if it has none. Costs nothing if it has.
  void wake();

 private:
  void turn();

  entity::rpc::Endpoint& endpoint_;
  entity::TimerWheel& timers_;
  const Run run_;
  const Ran ran_;
  TickLine line_;
  bool posted_ = false;
  bool running_ = false;
  entity::Time armed_ = entity::Time::max();  // when the timer fires
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  entity::TimerOwner timer_;
};

}  // namespace starbus::nodes::space
