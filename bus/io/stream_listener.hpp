/// Accepts links over unix and TCP sockets.
///
/// Belongs to the thread of its io_context; owns the listening socket and its file, not the links,
/// which outlive it. Running out of descriptors pauses it; nothing ends it but its owner.
#pragma once

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include "bus/io/link.hpp"
#include "bus/io/socket.hpp"

namespace starbus::bus::io {

class StreamListener final : public Listener {
 public:
  StreamListener(boost::asio::io_context& context, ListenSocket socket, AcceptHandler on_accept);
  ~StreamListener() override;
  std::string endpoint() const override { return endpoint_.to_string(); }

 private:
  class Loop;
  Endpoint endpoint_;
  SocketFile file_;
  // Shared with the accept handler's caller: a listener may be destroyed inside the handler.
  std::shared_ptr<Loop> loop_;
};

}  // namespace starbus::bus::io
