/// A wheel, its clock, and a log of what fired.
#pragma once

#include <gmock/gmock.h>

#include <chrono>
#include <string>
#include <vector>

#include "entity/timers/timer_wheel.hpp"

namespace starbus::entity {

using namespace std::chrono_literals;

class TimerWheelTest : public testing::Test {
 protected:
  static constexpr Time kStart = 5h;

  auto note(std::string text) {
    return [this, text = std::move(text)] { log.push_back(text); };
  }
  /// What fires when it is `since` behind the start, in one pass.
  std::vector<std::string> fired_at(Time since, std::size_t work = kPassWork) {
    log.clear();
    last = wheel.advance(kStart + since, work);
    return log;
  }

  std::vector<std::string> log;
  TimerWheel::Pass last;
  TimerWheel wheel{kStart};
  TimerOwner owner;
};

}  // namespace starbus::entity
