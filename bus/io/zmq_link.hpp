/// A link over a ZeroMQ PAIR socket of its own: ipc or tcp.
///
/// Belongs to the thread of its io_context, which calls start(): checked. The listener and the
/// connecting side make it after both have proven that they mean the same session. It ends with the
/// first connection of its socket: messages of another connection are never believed. Destroy it
/// before the context.
#pragma once

#include <deque>
#include <optional>

#include "base/loop_thread.hpp"
#include "bus/io/buffer_pool.hpp"
#include "bus/io/link.hpp"
#include "bus/io/socket.hpp"
#include "bus/io/zmq_service.hpp"

namespace starbus::bus::io {

/// The parts of a session, in the order of dependence.
struct ZmqSession {
  std::unique_ptr<ZapDomain> domain;  // listening side with CURVE
  std::unique_ptr<ZmqSocket> socket;
  std::unique_ptr<ZmqMonitor> monitor;
  SocketFile file;  // listening side of ipc
};

class ZmqLink final : public Link {
 public:
  /// `first` is the first message of the connection that the session belongs to.
  ZmqLink(ZmqSession session, ZmqMessage first, Peer peer);
  ~ZmqLink() override;

  void start(LinkHandler& handler) override;
  void send(Bytes bundle) override;
  void go_on() override;
  Bytes take_buffer() override { return pool_->take(); }
  void close() override;
  const Peer& peer() const override { return peer_; }

 private:
  /// Reads a burst; true if there may be more.
  bool read();
  void deliver(ZmqMessage& message);
  bool transmit(Bytes& bundle);
  void flush();
  void fail(const Error& reason);
  void drop_session();

  LoopThread thread_;  // that which calls start()
  ZmqSession session_;
  ZmqMessage first_;
  const char* connection_;
  Peer peer_;
  LinkHandler* handler_ = nullptr;
  bool closed_ = false;
  bool broken_ = false;  // the connection is gone; its last messages are still to be read
  bool waits_ = false;   // for its turn: LinkHandler::has_turn said no
  std::optional<ZmqMessage> held_;  // received, and not or not wholly handed over yet
  bool reading_ = false;            // inside read(), which looks again by itself
  std::deque<Bytes> queue_;
  std::shared_ptr<BufferPool> pool_ = std::make_shared<BufferPool>();
};

/// Control messages of a session, beside bundles. Their first byte differs from a bundle's.
inline constexpr std::string_view kGoodbye = "SBG1";

}  // namespace starbus::bus::io
