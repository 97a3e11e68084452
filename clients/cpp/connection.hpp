/// One connection to a gate: name, socket, TLS, WebSocket, frames. Nothing blocks; step() does what
/// can be done. Owned by one client, in its thread. A connection that has failed stays so, and says
/// why.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "clients/cpp/frame_stream.hpp"
#include "clients/cpp/resolver.hpp"
#include "clients/cpp/tls.hpp"
#include "clients/cpp/web_socket.hpp"

namespace starbus::game {

/// How a gate is reached.
struct Way {
  std::shared_ptr<const Tls> tls{};         // null: in the clear
  std::optional<std::string> web_socket{};  // its path; nullopt: frames with lengths
  std::string from{};                       // numeric address of this host; empty: any
};
/// Bytes that sockets have read and written.
struct Traffic {
  std::uint64_t in = 0;
  std::uint64_t out = 0;
};

/// What why() ends with after cut_after().
inline constexpr std::string_view kWasCut = "cut, as the program wanted";

/// See above.
class Connection {
 public:
  /// Begins.
  Connection(const std::string& address, Way way, std::shared_ptr<Resolver> resolver);
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
  /// Why it has failed, or is not open yet: `host:port: state, what to do`.
  const std::string& why() const { return why_; }

  /// The next frame that has come; a view that is good until step().
  std::optional<ByteView> next_frame() { return frames_.next(); }
  /// Whether another frame may be put; what was put is sent by flush() and step().
  bool room() const;
  void put(ByteView frame);
  /// Writes what was put, as far as it goes.
  void flush();
  /// It breaks when so many more bytes of the socket have come or gone, wherever that is.
  void cut_after(std::size_t bytes) { left_ = bytes; }
  const Traffic& traffic() const { return traffic_; }

  /// -1 as long as there is no socket.
  int fd() const { return fd_; }
  /// Whether it waits for room in the socket, or for the connection.
  bool wants_write() const;
  /// Whether step() must be called again soon without the socket saying so.
  bool resolving() const { return stage_ == Stage::resolving; }

 private:
  static constexpr std::size_t kNoCut = ~std::size_t{0};
  enum class Stage { resolving, connecting, shaking, open, failed };

  void connect_next(const std::string& before);
  void finish_connecting();
  void shake_hands();
  void set_open();
  bool read_some();
  void take(ByteView bytes);
  void take_plain(ByteView bytes);
  void put_bytes(ByteView plain);
  void pass(std::size_t bytes, std::uint64_t& way);
  void write_some();
  void fail(const std::string& why);
  void close_socket();

  std::string address_;
  Way way_;
  std::shared_ptr<Resolver> resolver_;
  std::shared_ptr<Lookup> lookup_;
  std::size_t endpoint_ = 0;  // the next that is tried
  Stage stage_ = Stage::resolving;
  bool opened_ = false;
  int fd_ = -1;
  std::optional<TlsStream> stream_;
  std::optional<WebSocketStream> web_socket_;
  FrameStream frames_;
  Bytes out_;                  // not written yet
  std::size_t left_ = kNoCut;  // of cut_after()
  Traffic traffic_;
  std::string why_;
};

}  // namespace starbus::game
