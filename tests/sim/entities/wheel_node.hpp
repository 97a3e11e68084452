/// A simulated process whose program has a wheel of timers: each turn of its loop fires what is
/// due, and the machine wakes it for what follows. One thread.
#pragma once

#include <optional>

#include "entity/timers/timer_wheel.hpp"
#include "tests/sim/clients/program_node.hpp"

namespace starbus::sim {

class WheelNode : public ProgramNode, private entity::TimerDriver {
 public:
  using ProgramNode::ProgramNode;

  /// That of the program that begins.
  void drive(entity::TimerWheel& wheel) {
    wheel_ = &wheel;
    armed_.reset();
    wheel.drive(this);
  }

 protected:
  /// Before the wheel ends.
  void wheel_ends() { wheel_ = nullptr; }
  void turn() override;

 private:
  void arm();

  // TimerDriver
  entity::Time now() override { return machine_time(); }
  void due_sooner() override {}  // each turn looks at the wheel
  void began(const std::type_info&) override {}
  void ended() override {}

  entity::TimerWheel* wheel_ = nullptr;  // null: it is over
  std::optional<entity::Time> armed_;    // the next turn for timers
};

}  // namespace starbus::sim
