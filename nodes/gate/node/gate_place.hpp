#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <string>

#include "bus/client/bus.hpp"
#include "entity/rpc/endpoint.hpp"
#include "entity/timers/timer_wheel.hpp"

namespace starbus::nodes::gate {

/// Where a gate lives: in a node, or in a test. All of it outlives the gate.
struct GatePlace {
  boost::asio::io_context& loop;
  bus::Bus& bus;
  entity::rpc::Endpoint& rpc;
  entity::TimerWheel& timers;
  std::function<std::string()> process;  // "HOST.NODE", once it is known
};

}  // namespace starbus::nodes::gate
