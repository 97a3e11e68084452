#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <variant>

#include "bus/client/message.hpp"
#include "entity/timers/timer_wheel.hpp"

namespace starbus::nodes::entities {

/// An entity that has arrived and is owned here, but whose activation has failed: its state, and
/// the messages for it until it is activated. Belongs to the loop's thread; the handlers of its
/// name share it.
class Stranded {
 public:
  Stranded(bus::Bytes packed, bus::Epoch of_name) : state(std::move(packed)), epoch(of_name) {}

  /// Handlers for its name: they hold messages and calls until it is activated, then pass them on.
  static bus::Handlers handlers(const std::shared_ptr<Stranded>& stranded);
  /// It is activated: passes on the held messages, in order, and all later ones.
  void go_on(bus::Handlers handlers);
  /// It will never be activated: calls end with `why`, and messages are dropped.
  void end(const bus::Error& why);

  const bus::Bytes state;
  const bus::Epoch epoch;
  std::uint64_t tries = 1;
  entity::TimerId retry{};
  std::uint64_t dropped = 0;  // messages

 private:
  using Held = std::variant<bus::Message, bus::Call>;
  void hand_over(Held& held);

  std::deque<Held> held_;
  bus::Handlers handlers_;
  bool lives_ = false;
  bus::Error ended_;  // ok: not ended
};

}  // namespace starbus::nodes::entities
