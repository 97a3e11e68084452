/// One attempt to get a session from a ZeroMQ listener.
///
/// Belongs to the thread of its io_context. Asks the listener for a socket, greets there, and is
/// done when welcomed. Destroying it cancels; it may be destroyed inside its own callback.
#pragma once

#include "bus/io/endpoint.hpp"
#include "bus/io/link.hpp"

namespace starbus::bus::io {

class ZmqConnecting final : public Connecting {
 public:
  ZmqConnecting(boost::asio::io_context& context, Endpoint endpoint, ConnectOptions options,
                ConnectHandler on_connected);
  ~ZmqConnecting() override;

 private:
  class Attempt;
  std::shared_ptr<Attempt> attempt_;
};

}  // namespace starbus::bus::io
