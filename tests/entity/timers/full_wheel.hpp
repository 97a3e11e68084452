/// Takes the timers that a wheel has left: some four million, in about a second.
#pragma once

#include <vector>

#include "entity/timers/timer_wheel.hpp"

namespace starbus::entity {

class FullWheel {
 public:
  explicit FullWheel(TimerWheel& wheel) : wheel_(wheel) { fill(); }
  FullWheel(const FullWheel&) = delete;
  FullWheel& operator=(const FullWheel&) = delete;

  void fill();
  /// Gives `count` of them back.
  void free(std::size_t count);

 private:
  TimerWheel& wheel_;
  std::vector<TimerId> taken_;
  TimerOwner owner_;
};

}  // namespace starbus::entity
