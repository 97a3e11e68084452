#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

#include "base/file_descriptor.hpp"
#include "bus/core/error.hpp"
#include "nodes/gate/net/peer_address.hpp"

namespace starbus::nodes::gate::net {

/// Accepts connections at one address, in slices. Without descriptors it pauses, longer each time;
/// a spare one serves to cut those that wait, so that they try elsewhere. Belongs to the loop's
/// thread; destroy it before the loop, and not within its handler; stop() may be called there.
class Listener {
 public:
  using OnAccept = std::function<void(FileDescriptor, const PeerAddress&)>;
  /// The system has none left: once for each pause.
  using OnExhausted = std::function<void(int error)>;

  /// Errors: io_error, with the address.
  static Result<FileDescriptor> open(const PeerAddress& address, bool reuse_port);

  Listener(boost::asio::io_context& loop, FileDescriptor socket, OnAccept on_accept,
           OnExhausted on_exhausted);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  /// Accepts no more, for good.
  void stop();
  /// With the port that the system chose.
  const PeerAddress& address() const { return address_; }

 private:
  void wait();
  void accept();
  void pause(int error);

  PeerAddress address_;
  boost::asio::posix::stream_descriptor socket_;
  boost::asio::steady_timer timer_;
  const OnAccept on_accept_;
  const OnExhausted on_exhausted_;
  FileDescriptor spare_;
  std::chrono::milliseconds pause_;
  // A handler may be ready when this is destroyed.
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace starbus::nodes::gate::net
