#include "nodes/gate/net/admission.hpp"

#include <algorithm>

namespace starbus::nodes::gate::net {
namespace {

/// A tenth of a second's handshakes may come at once: a burst that nobody notices.
double burst_of(const FrontLimits& limits) {
  return std::max(1.0, limits.tls_per_second / 10.0);
}

}  // namespace

std::optional<Ending> Admission::enter(Connection& connection, const FrontLimits& limits) {
  if (connections_ >= limits.connections) return Ending::full;
  if (handshakes_ >= limits.handshakes_at_once) return Ending::too_many_handshakes;
  if (!connection.rules().proxy) {
    if (const auto refused = from_source(connection, limits)) return refused;
  }
  ++connections_;
  ++handshakes_;
  connection.notes().entered = true;
  return std::nullopt;
}

std::optional<Ending> Admission::from_source(Connection& connection, const FrontLimits& limits) {
  const std::uint64_t source = connection.address().source();
  std::uint32_t& count = sources_[source];
  if (count >= limits.connections_per_address) return Ending::too_many_of_address;
  ++count;
  connection.notes().source = source;
  connection.notes().has_source = true;
  return std::nullopt;
}

bool Admission::may_linger(Connection& connection) {
  if (lingering_ >= kRefusedAtOnce) return false;
  ++lingering_;
  connection.notes().linger = true;
  return true;
}

void Admission::introduced(Connection& connection) {
  connection.notes().first_frame = true;
  --handshakes_;
}

void Admission::leave(Connection& connection) {
  const Connection::Notes& notes = connection.notes();
  if (notes.linger) --lingering_;
  if (notes.entered) {
    --connections_;
    if (!notes.first_frame) --handshakes_;
  }
  if (!notes.has_source) return;
  const auto at = sources_.find(notes.source);
  if (--at->second == 0) sources_.erase(at);
}

std::optional<ConnectionId> Admission::first_for_tls() const {
  if (waiting_.empty()) return std::nullopt;
  return waiting_.front();
}

bool Admission::take_tls(const FrontLimits& limits, Time now) {
  return tls_.take(limits.tls_per_second, burst_of(limits), now);
}

Admission::Time Admission::tls_again(const FrontLimits& limits, Time now) {
  if (waiting_.empty()) return Time::max();
  return now + tls_.wait(limits.tls_per_second, burst_of(limits), now);
}

}  // namespace starbus::nodes::gate::net
