/// One connection to a gate: name, socket, TLS, frames. Nothing blocks; step() does what can be
/// done. Owned by one client, in its thread. A connection that has failed stays so, and says why.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "clients/cpp/frame_stream.hpp"
#include "clients/cpp/resolver.hpp"
#include "clients/cpp/tls.hpp"

namespace starbus::game {

/// See above.
class Connection {
 public:
  /// Begins; `tls` is null for a connection in the clear.
  Connection(const std::string& address, std::shared_ptr<const Tls> tls,
             std::shared_ptr<Resolver> resolver);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  /// Connects, reads and writes as far as it goes without waiting; reads at most kReadTurn bytes.
  /// Returns whether bytes have come.
  bool step();
  /// Frames may be sent.
  bool open() const { return stage_ == Stage::open; }
  /// It was open, whatever has become of it.
  bool opened() const { return opened_; }
  bool failed() const { return stage_ == Stage::failed; }
  /// The gate has announced a frame that is too large.
  bool broken() const { return frames_.broken(); }
  /// Why it has failed: `host:port: state, what to do`.
  const std::string& why() const { return why_; }

  /// The next frame that has come; a view that is good until step().
  std::optional<ByteView> next_frame() { return frames_.next(); }
  /// Whether another frame may be put; what was put is sent by flush() and step().
  bool room() const;
  void put(ByteView frame);
  /// Writes what was put, as far as it goes.
  void flush();

  /// -1 as long as there is no socket.
  int fd() const { return fd_; }
  /// Whether it waits for room in the socket, or for the connection.
  bool wants_write() const;
  /// Whether step() must be called again soon without the socket saying so.
  bool resolving() const { return stage_ == Stage::resolving; }

 private:
  enum class Stage { resolving, connecting, shaking, open, failed };

  void connect_next(const std::string& before);
  void finish_connecting();
  void set_open();
  bool read_some();
  void take(ByteView bytes);
  void write_some();
  void fail(const std::string& why);
  void close_socket();

  std::string address_;
  std::shared_ptr<const Tls> tls_;
  std::shared_ptr<Resolver> resolver_;
  std::shared_ptr<Lookup> lookup_;
  std::size_t endpoint_ = 0;  // the next that is tried
  Stage stage_ = Stage::resolving;
  bool opened_ = false;
  int fd_ = -1;
  std::optional<TlsStream> stream_;
  FrameStream frames_;
  Bytes out_;  // not written yet
  std::string why_;
};

}  // namespace starbus::game
