/// Accepts sessions over ZeroMQ and gives each a socket of its own.
///
/// Belongs to the thread of its io_context. A ROUTER takes requests; each is answered with a fresh
/// PAIR socket, which becomes a link once its peer has shown the secret of the answer. Links
/// outlive the listener. Nothing that a peer sends ends it.
#pragma once

#include "bus/io/link.hpp"
#include "bus/io/socket.hpp"

namespace starbus::bus::io {

class ZmqListener final : public Listener {
 public:
  ZmqListener(boost::asio::io_context& context, ListenOptions options, AcceptHandler on_accept);
  ~ZmqListener() override;
  /// Hands the listening socket to ZeroMQ. io_error if it refuses; bad_config for a wrong key.
  Result<> begin(ListenSocket socket);
  std::string endpoint() const override;

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace starbus::bus::io
