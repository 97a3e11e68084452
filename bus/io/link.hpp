/// The carriers of bundles between two parties: one `Link` is one session's pipe.
///
/// Two kinds implement the same interface, chosen by the endpoint's scheme:
///   unix:///run/starbus/busd.sock   stream://10.0.0.1:7600    plain sockets, one thread, no
///   hand-over ipc:///run/starbus/busd.ipc     tcp://10.0.0.1:7600       ZeroMQ (tcp: with CURVE)
/// Links are dumb: they keep order within a session, resend nothing, and end as a whole.
///
/// Threads: everything here is used from, and calls back on, the thread that runs `context`.
#pragma once

#include <sys/types.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bus/core/error.hpp"

namespace starbus::bus::io {

using Bytes = std::vector<std::byte>;

/// The identity of the other end, by the operating system or CURVE; never by the peer's own claim.
struct Peer {
  pid_t pid = 0;                // local links: process id; 0 if unknown
  uid_t uid = 0;                // local links
  gid_t gid = 0;                // local links
  std::vector<gid_t> groups{};  // local links: supplementary groups when it connected
  std::string key;              // CURVE: public key in Z85 (40 characters), else empty
  std::string address;          // for people: "pid 4711" or "10.0.0.2:41234"
};

class Link;

/// Receives the events of a link. Never called after `Link::close()`.
class LinkHandler {
 public:
  /// A whole bundle, header included; the bytes are valid during the call only.
  virtual void on_bundle(Link& link, std::span<const std::byte> bundle) = 0;
  /// All bundles that were readable have been handed over, or `enough` ended the batch: flush now.
  virtual void on_batch_end(Link& link) = 0;
  /// Asked before the bundles of a read are handed over. False: not now, and the handler calls
  /// Link::go_on when it is their turn; until then the link reads no further.
  virtual bool has_turn(Link&) { return true; }
  /// Asked after a bundle while more are readable. True ends the batch: the rest comes in another
  /// one, after other work of the loop.
  virtual bool enough() { return false; }
  /// Asked after a bundle. True: only a part of it was taken, because others come first. The batch
  /// ends, and the next one begins with the same bundle.
  virtual bool unfinished() { return false; }
  /// The pipe broke, or the peer sent a malformed bundle. The last call, at most one.
  virtual void on_closed(Link& link, const Error& reason) = 0;

 protected:
  ~LinkHandler() = default;
};

/// One session's pipe. Held by shared_ptr: it may be closed and dropped inside its own callbacks.
class Link : public std::enable_shared_from_this<Link> {
 public:
  virtual ~Link() = default;
  /// Begins to read. `handler` must outlive the link or its close().
  virtual void start(LinkHandler& handler) = 0;
  /// Takes a whole bundle. Never blocks, never refuses: the link clock above bounds what is queued
  /// here. Writes at once if the transport has room. Bundles leave in order.
  virtual void send(Bytes bundle) = 0;
  /// Hands over what waits since LinkHandler::has_turn said no.
  virtual void go_on() {}
  /// An empty buffer, with the capacity of an earlier bundle if one is free.
  virtual Bytes take_buffer() = 0;
  /// Ends the pipe. Queued bundles are sent if the transport takes them at once, and discarded
  /// otherwise. No callback follows. Idempotent.
  virtual void close() = 0;
  virtual const Peer& peer() const = 0;
  /// A new descriptor (pidfd) of the process that connected, for the caller to close: of that very
  /// process, also if another one has its number by now. -1: not a local link, or the system cannot
  /// tell (Linux before 6.5). closed: that process has ended.
  virtual Result<int> open_process() { return -1; }
};

/// Characters of a CURVE key in Z85.
inline constexpr std::size_t kCurveKeyText = 40;

/// Keys of one side of a CURVE link, Z85 text of kCurveKeyText characters each. Empty: no
/// encryption.
struct CurveKeys {
  std::string public_key;
  std::string secret_key;
};

/// Which peers a listener accepts, and the permissions of its socket.
struct ListenOptions {
  CurveKeys keys;  // server keys; empty: plain
  /// Asked with the client's public key (Z85) during the handshake; false refuses it. Only CURVE.
  std::function<bool(std::string_view key)> allow;
  /// A peer was refused: its address and the reason, for the log and for `bustop why`.
  std::function<void(const std::string& address, const Error& why)> on_refused;
  unsigned socket_mode = 0660;  // of unix and ipc sockets
  std::string socket_group;     // group of unix and ipc sockets; empty: unchanged
  /// Ports that sessions of a tcp:// listener get (ZeroMQ gives each a socket of its own);
  /// 0,0: any free port.
  unsigned short first_session_port = 0;
  unsigned short last_session_port = 0;
};

/// Keys and the time limit of one attempt to connect.
struct ConnectOptions {
  CurveKeys keys;          // client keys; empty: plain
  std::string server_key;  // Z85; required with keys
  std::chrono::milliseconds timeout{3000};
};

/// Accepts sessions until destroyed (which removes its socket file).
class Listener {
 public:
  virtual ~Listener() = default;
  /// The endpoint with the real port: "tcp://127.0.0.1:45123".
  virtual std::string endpoint() const = 0;
};

using AcceptHandler = std::function<void(std::shared_ptr<Link>)>;
using ConnectHandler = std::function<void(Result<std::shared_ptr<Link>>)>;

/// io_error if the address is in use or not permitted, bad_config if the endpoint is malformed.
Result<std::unique_ptr<Listener>> listen(boost::asio::io_context& context,
                                         const std::string& endpoint, ListenOptions options,
                                         AcceptHandler on_accept);

/// One attempt; the result is called later, never inside. unreachable, unauthorized or io_error on
/// failure; for repeated attempts see Reconnect. Destroying the returned handle cancels: no
/// callback follows.
class Connecting {
 public:
  virtual ~Connecting() = default;
};
/// Starts such an attempt on the context's thread. `timeout` ends it as unreachable.
std::unique_ptr<Connecting> connect(boost::asio::io_context& context, const std::string& endpoint,
                                    ConnectOptions options, ConnectHandler on_connected);

/// A fresh CURVE key pair. Works without libsodium headers: libzmq makes it.
Result<CurveKeys> generate_curve_keys();
/// The public half of a secret key; bad_config if it is not Z85 of 40 characters.
Result<std::string> curve_public_key(const std::string& secret_key);

}  // namespace starbus::bus::io
