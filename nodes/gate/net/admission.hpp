#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "nodes/gate/net/connection.hpp"

namespace starbus::nodes::gate::net {

/// Who may come in: counts connections in all and by address, those that shake hands, and those
/// that are refused and still hear why; deals out TLS handshakes. Sans-IO; one thread.
class Admission {
 public:
  using Time = Connection::Time;

  explicit Admission(Time now) : tls_(1, now) {}

  /// A connection was accepted. An ending: it is refused, and not counted.
  std::optional<Ending> enter(Connection& connection, const FrontLimits& limits);
  /// It is known where it comes from: enter() knew it unless a PROXY header says so. Likewise, but
  /// it stays counted until leave().
  std::optional<Ending> from_source(Connection& connection, const FrontLimits& limits);
  /// True if one more may hear why it is refused: it counts until leave().
  bool may_linger(Connection& connection);
  /// Its first frame has come.
  void introduced(Connection& connection);
  /// It is over.
  void leave(Connection& connection);

  /// It waits for a TLS handshake.
  void wait_for_tls(ConnectionId id) { waiting_.push_back(id); }
  /// The first of those that wait; it may have ended.
  std::optional<ConnectionId> first_for_tls() const;
  void forget_first() { waiting_.pop_front(); }
  /// True if a handshake may be made now; it counts.
  bool take_tls(const FrontLimits& limits, Time now);
  /// When take_tls() should be asked again; Time::max(): nobody waits.
  Time tls_again(const FrontLimits& limits, Time now);

  std::size_t connections() const { return connections_; }
  std::size_t handshakes() const { return handshakes_; }
  std::size_t sources() const { return sources_.size(); }
  std::size_t waiting_for_tls() const { return waiting_.size(); }

 private:
  std::size_t connections_ = 0;
  std::size_t handshakes_ = 0;
  std::size_t lingering_ = 0;
  boost::unordered_flat_map<std::uint64_t, std::uint32_t> sources_;
  std::deque<ConnectionId> waiting_;
  TokenBucket tls_;
};

}  // namespace starbus::nodes::gate::net
