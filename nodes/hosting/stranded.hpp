#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <variant>

#include "bus/client/message.hpp"
#include "entity/identity/id_sources.hpp"
#include "entity/timers/timer_wheel.hpp"

namespace starbus::nodes::entities {

/// Accepted from another process, made but for its activation, and not owned here yet.
struct Arriving {
  entity::OnlineId id{};
  entity::TimerId deadline{};
};

/// Owned here, and its activation has failed: what it was, and what comes for it until it lives. Of
/// the loop's thread; shared with the handlers of its name, which go on to use it.
class Stranded {
 public:
  Stranded(bus::Bytes packed, bus::Epoch of_name) : state(std::move(packed)), epoch(of_name) {}

  /// What is bound for it: held until it lives, then handed on.
  static bus::Handlers handlers(const std::shared_ptr<Stranded>& stranded);
  /// It lives: hands over what was held, in order, and from now on all that comes.
  void go_on(bus::Handlers handlers);
  /// It never will: calls end with this, and messages are dropped.
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
  bus::Error ended_;  // ok: it has not
};

}  // namespace starbus::nodes::entities
