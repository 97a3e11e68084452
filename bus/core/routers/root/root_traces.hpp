/// Traces at busroot: they go the way of messages, and back to the host where they began. A trace
/// of another host ends the session as bad_bytes; traces may be lost.
///
/// Part of RootRouter: same thread; owns nothing.
#pragma once

#include "bus/core/routers/root/message_routes.hpp"
#include "bus/core/routers/root/root_state.hpp"

namespace starbus::bus {

class RootTraces {
 public:
  RootTraces(RootState& root, MessageRoutes& routes) : root_(root), routes_(routes) {}
  Result<> on_trace(const HostEntry& host, ByteView payload);

 private:
  void send_back(const HopTrace& trace);

  RootState& root_;
  MessageRoutes& routes_;
};

}  // namespace starbus::bus
