/// ZeroMQ sockets inside an Asio loop: the context, messages, sockets and their monitors.
///
/// Everything here belongs to the thread of its io_context; ZeroMQ's own I/O threads, one for links
/// and one for the handshakes of strangers, stay behind the library. Sockets must be gone before
/// the io_context is; then the context ends with it.
#pragma once

#include <zmq.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "bus/core/bytes.hpp"
#include "bus/core/error.hpp"

namespace starbus::bus::io {

class ZmqService;

/// Properties of received messages.
inline constexpr const char* kPeerAddress = "Peer-Address";
inline constexpr const char* kUserId = "User-Id";  // the CURVE key, as the authenticator wrote it

/// Owns one zmq_msg_t.
class ZmqMessage {
 public:
  ZmqMessage() { zmq_msg_init(&message_); }
  ~ZmqMessage() { zmq_msg_close(&message_); }
  ZmqMessage(ZmqMessage&& other) noexcept : ZmqMessage() { *this = std::move(other); }
  ZmqMessage& operator=(ZmqMessage&& other) noexcept {
    zmq_msg_move(&message_, &other.message_);
    return *this;
  }
  zmq_msg_t* get() { return &message_; }
  /// Valid until the message is moved from or destroyed.
  ByteView bytes() {
    return {static_cast<const std::byte*>(zmq_msg_data(&message_)), zmq_msg_size(&message_)};
  }
  /// The descriptor of the connection that a received message came from; -1 if there is none.
  int descriptor() { return zmq_msg_get(&message_, ZMQ_SRCFD); }
  bool more() const { return zmq_msg_more(&message_) != 0; }
  /// kPeerAddress or kUserId; null if the message has none. Points into the connection's own
  /// data: equal pointers mean the same connection, as long as one of its messages is kept.
  const char* property(const char* name) { return zmq_msg_gets(&message_, name); }

 private:
  zmq_msg_t message_;
};

/// Owns one ZeroMQ socket and watches it. Nothing here blocks.
class ZmqSocket {
 public:
  /// Asked when something may have happened. Must read until receive() says no, or return true to
  /// be asked again after the other work of the loop. May destroy the socket.
  using OnReady = std::function<bool()>;

  /// Without linger, hidden reconnects or unbounded messages; see set() for the rest. Throws
  /// std::runtime_error when descriptors have run out: only where that ends the program.
  ZmqSocket(boost::asio::io_context& context, int type);
  /// The same; io_error when descriptors have run out, as peers can bring about.
  static Result<std::unique_ptr<ZmqSocket>> make(boost::asio::io_context& context, int type);
  ~ZmqSocket();
  ZmqSocket(const ZmqSocket&) = delete;
  ZmqSocket& operator=(const ZmqSocket&) = delete;

  /// Sets an option of zmq_setsockopt; one that ZeroMQ refuses is a programming error.
  void set(int option, int value);
  void set(int option, std::string_view value);
  /// Has the connections of this socket served by the I/O thread for peers that have no session, so
  /// that their handshakes take no time from links. Before bind or connect.
  void serve_strangers();
  /// io_error if ZeroMQ refuses the endpoint.
  Result<> bind(const std::string& endpoint);
  Result<> connect(const std::string& endpoint);

  /// Replaces the callback. It is asked on the context's thread.
  void on_ready(OnReady on_ready);
  /// To be called after a send outside of `on_ready`: sending may swallow the wake-up of a receive.
  void check_again();

  /// False: nothing is there. Never blocks.
  bool receive(ZmqMessage& message);
  /// False: there is no room now, or no connection.
  bool send(ZmqMessage& message, int flags = 0);
  bool send(ByteView bytes, int flags = 0);

  void* native() { return socket_; }
  boost::asio::io_context& context() { return context_; }

 private:
  void wait();
  void ready();

  boost::asio::io_context& context_;
  ZmqService& service_;
  void* socket_;
  boost::asio::posix::stream_descriptor signal_;
  std::shared_ptr<OnReady> on_ready_ = std::make_shared<OnReady>();
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // what callbacks on the way ask
  bool waiting_ = false;
  bool posted_ = false;
};

/// Tells the events of a socket's connections. Must be destroyed before the socket.
class ZmqMonitor {
 public:
  using OnEvent = std::function<void(int event, int value)>;
  /// Throws as the constructor of ZmqSocket.
  explicit ZmqMonitor(ZmqSocket& socket);
  static Result<std::unique_ptr<ZmqMonitor>> make(ZmqSocket& socket);
  ~ZmqMonitor();
  /// The callback may destroy the monitor.
  void on_event(OnEvent on_event);

 private:
  bool read();

  ZmqSocket& watched_;
  std::unique_ptr<ZmqSocket> events_;
  std::shared_ptr<OnEvent> on_event_;
};

/// io_error with the text of ZeroMQ's present errno.
Error zmq_error(const std::string& what);

}  // namespace starbus::bus::io
