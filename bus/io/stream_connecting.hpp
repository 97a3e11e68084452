/// One attempt to connect over a unix or TCP socket.
///
/// Belongs to the thread of its io_context. Tries every address of the host in turn within one
/// time-out. Destroying it cancels; it may be destroyed inside its own callback.
#pragma once

#include "bus/io/endpoint.hpp"
#include "bus/io/link.hpp"

namespace starbus::bus::io {

class StreamConnecting final : public Connecting {
 public:
  StreamConnecting(boost::asio::io_context& context, Endpoint endpoint,
                   std::chrono::milliseconds timeout, ConnectHandler on_connected);
  ~StreamConnecting() override;

 private:
  class Attempt;
  std::shared_ptr<Attempt> attempt_;
};

}  // namespace starbus::bus::io
