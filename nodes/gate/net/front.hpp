/// The sockets at which the clients of a gate come in: read this header of the room first.
///
///   class Sessions : public FrontHandler { ... };
///   Front front(loop, settings, sessions, limited);
///   if (auto started = front.start(); !started) ...
///   front.send(connection, body);        // a body that goes to thousands is one body
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/loop_thread.hpp"
#include "daemon/rate_limited.hpp"
#include "nodes/gate/net/admission.hpp"
#include "nodes/gate/net/alarms.hpp"
#include "nodes/gate/net/connection.hpp"
#include "nodes/gate/net/front_counters.hpp"
#include "nodes/gate/net/listener.hpp"
#include "nodes/gate/net/poller.hpp"

namespace starbus::nodes::gate::net {

/// Where a connection comes from, and how.
struct Arrival {
  PeerAddress address{};  // with a PROXY header, that of the client
  ConnectionKind kind = ConnectionKind::tcp;
};

/// What the owner of a Front does. Called on the loop's thread, never within a call of the Front's
/// functions. May call all of these, for any connection; must not destroy the Front.
class FrontHandler {
 public:
  virtual ~FrontHandler() = default;
  /// Frames are next: TLS and the upgrade are done.
  virtual void on_open(ConnectionId connection, const Arrival& arrival) = 0;
  /// `frame` is valid during the call; it may be empty.
  virtual void on_frame(ConnectionId connection, bus::ByteView frame) = 0;
  /// The last call for a connection that was opened; none comes after close().
  virtual void on_closed(ConnectionId connection, Ending ending) = 0;
  /// Encodes a frame, for those whom the Front itself refuses.
  virtual bus::Bytes farewell(const Closed& closed) = 0;
};

/// Listens over TCP, TLS 1.3, WebSocket and both, cuts bytes into frames, and defends itself: every
/// limit of limits.hpp ends or delays the connection that reaches it, is counted and logged.
///
/// Everything belongs to the thread of the loop: checked. A gate with several threads for sockets
/// has a Front with a loop for each, and listeners with reuse_port. Destroy it before the loop; the
/// connections are cut then. Handshakes of TLS are made on the loop, a few milliseconds a turn.
class Front {
 public:
  /// The handler and `limited` outlive it.
  Front(boost::asio::io_context& loop, FrontSettings settings, FrontHandler& handler,
        daemon::RateLimited& limited);
  ~Front();
  Front(const Front&) = delete;
  Front& operator=(const Front&) = delete;

  /// Reads the certificates and listens. Errors: bad_config, io_error; then nothing listens.
  Result<> start();
  /// Of the listeners, in the order of the settings, with the ports that the system chose.
  std::vector<PeerAddress> addresses() const;
  /// Reads the certificates again and takes over limits, paths and origins, for connections to
  /// come. With an error, bad_config, everything stays as it was.
  Result<> reload(const FrontSettings& fresh);

  /// Queues a frame; what is queued in one turn of the loop goes out together. False: there is no
  /// such connection, or it is ending, maybe because of this frame: on_closed follows.
  /// The frame is `prefix`, of at most kPrefixBytes and copied, and then the body: packets that
  /// differ in their number share the rest.
  bool send(ConnectionId connection, const Body& body, bus::ByteView prefix = {});
  /// Sends what is queued, then `last` if it is not null, and hangs up, within close_time. The
  /// handler hears no more of it.
  void close(ConnectionId connection, Body last);
  /// Reads no more until resume(): frames stay with the client, and silence is no fault.
  void pause(ConnectionId connection);
  /// Goes on where pause() has stopped.
  void resume(ConnectionId connection);
  /// The longest frame that this connection may send: at first kFirstFrameBytes, then
  /// kEntryFrameBytes until the owner says so.
  void allow_frames(ConnectionId connection, std::size_t bytes);
  /// Bytes that wait to be written to it; 0 if it is not there.
  std::size_t queued_bytes(ConnectionId connection) const;

  /// No more connections come; those that are there go on.
  void stop_accepting();
  /// Stops accepting, says `why` to all, in slices, and calls `done` once when the last one is
  /// gone, within close_time. on_closed is told for each. `done` may destroy the Front.
  void stop(const Closed& why, std::function<void()> done);

  const FrontCounters& counters() const { return counters_; }
  const Admission& admission() const { return admission_; }
  const FrontLimits& limits() const { return settings_.limits; }
  /// Bytes of all connections, in and out.
  std::size_t held_bytes() const { return held_; }
  /// Seconds since 1970 at which the first certificate ends; 0: there is none.
  std::int64_t certificates_expire() const;
  /// Called with the seconds from accept to the end of each handshake of TLS or WebSocket.
  void observe_handshakes(std::function<void(double)> observe) { observe_ = std::move(observe); }

 private:
  using Time = Connection::Time;
  using Rules = std::vector<std::shared_ptr<const ListenerRules>>;
  using Connections = boost::unordered_flat_map<ConnectionId, std::unique_ptr<Connection>>;

  Result<Rules> make_rules(const FrontSettings& settings);
  void accept(std::size_t listener, FileDescriptor socket, const PeerAddress& address);
  Connection* find(ConnectionId id) const;

  // One connection is served.
  void on_ready(ConnectionId id, std::uint32_t events);
  void serve(Connection& connection);
  void take(Connection& connection, const Connection::Event& event);
  void open(Connection& connection);
  void frame(Connection& connection, bus::ByteView frame);
  bool may_say(Connection& connection);
  void write(Connection& connection);

  // One connection ends.
  void end(Connection& connection, Ending ending);
  Body farewell_of(const Connection& connection, Ending ending);
  void log(const Connection& connection, Ending ending);
  void bury(Connection& connection);

  /// After each change of a connection: what epoll, the alarms and the sums know of it.
  void settle(Connection& connection);
  void count_held(Connection& connection);
  bool is_over_share(const Connection& connection) const;
  void touch(Connection& connection);  // it is written to in the next turn

  // The loop.
  void turn_later();
  void turn();
  void turn_tls();
  void turn_stop();
  void set_timer();
  void on_timer();
  void on_alarm(Connection& connection);
  void reap();

  boost::asio::io_context& loop_;
  LoopThread thread_;
  FrontSettings settings_;
  FrontHandler& handler_;
  daemon::RateLimited& limited_;
  const std::shared_ptr<TicketKeys> keys_;
  Rules rules_;
  Time now_;
  Admission admission_;
  Connections connections_;
  std::vector<std::unique_ptr<Connection>> dead_;  // until nothing uses them
  ConnectionId last_id_ = 0;
  std::deque<ConnectionId> dirty_;  // are written to in the next turn
  std::deque<ConnectionId> again_;  // have more to say than a turn takes
  std::size_t held_ = 0;
  FrontCounters counters_;
  std::function<void(double)> observe_;

  struct Stopping {
    Closed why;
    std::function<void()> done;
    std::vector<ConnectionId> rest;
  };
  std::optional<Stopping> stopping_;

  std::vector<std::byte> buffer_;  // for one read, and for one record that is written
  Alarms alarms_;
  boost::asio::steady_timer timer_;
  Time timer_at_ = Time::max();
  bool turn_posted_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  std::vector<std::unique_ptr<Listener>> listeners_;
  Poller poller_;  // last: its handlers use all of these
};

}  // namespace starbus::nodes::gate::net
