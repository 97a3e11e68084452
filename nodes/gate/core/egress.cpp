#include "nodes/gate/core/egress.hpp"

#include <algorithm>

namespace starbus::nodes::gate {
namespace {

constexpr std::uint64_t kRoundsPerSecond = 10;  // at least: with each tick of the gate

/// For some ticks of the clock at least, or the rate could not be used up.
std::uint64_t burst_of(std::uint64_t rate) {
  return std::max<std::uint64_t>(rate / 4, kTurnBytes);
}

/// What is left of the window after the last packet that was handed out.
const Parcel* next_of(const Session& session) {
  const auto& packets = session.window.state().packets;
  if (packets.empty() || packets.back().c <= session.handed.c) return nullptr;
  const std::uint64_t first = packets.front().c;
  return &packets[session.handed.c < first ? 0 : session.handed.c + 1 - first];
}

}  // namespace

std::size_t Egress::waiting(const Session& session) {
  if (session.connection == 0) return 0;
  const Parcel* const next = next_of(session);
  return next == nullptr ? 0 : session.window.state().packets.back().c + 1 - next->c;
}

std::uint64_t Egress::share() const {
  const std::uint64_t sessions = std::max<std::uint64_t>(desk_.table.size(), 1);
  return budget_.gate_rate == 0 ? 0 : std::max<std::uint64_t>(budget_.gate_rate / sessions, 1);
}

/// The client's own budget is a bound; of the gate's it has its share, and what others leave.
bool Egress::may(Session& session) {
  Handed& handed = session.handed;
  if (!handed.own.has(budget_.client_rate, budget_.client_burst, desk_.now)) return false;
  const std::uint64_t rate = share();
  const bool own_share = handed.share.has(rate, burst_of(rate), desk_.now);
  return gate_.has(budget_.gate_rate, burst_of(budget_.gate_rate), desk_.now) || own_share;
}

/// An equal part of what the gate may send from one round to the next.
std::int64_t Egress::turn_bytes() const {
  const std::uint64_t part = budget_.gate_rate / kRoundsPerSecond / std::max(ring(), 1UL);
  return static_cast<std::int64_t>(std::max<std::uint64_t>(part, kTurnBytes));
}

void Egress::hand_out(Session& session, bool in_turn) {
  Handed& handed = session.handed;
  for (const Parcel* next = next_of(session);
       next != nullptr && (!in_turn || handed.turn > 0) && may(session); next = next_of(session)) {
    const std::size_t size = size_of(*next) + kPacketHead;
    handed.own.take(size);
    handed.share.take(size);
    gate_.take(size);
    handed.turn -= static_cast<std::int64_t>(size);
    handed.c = next->c;
    desk_.effects.push_back(SendPacket{session.connection, *next});
  }
}

void Egress::more(Session& session) {
  Handed& handed = session.handed;
  if (session.connection == 0 || handed.ticket != 0) return;
  hand_out(session, false);
  if (next_of(session) == nullptr) return;
  handed.ticket = ++last_ticket_;
  handed.turn = 0;
  ring_.push_back({session.id, handed.ticket});
  ++desk_.counters.packets_waited;
}

void Egress::begin(Session& session, std::uint64_t c) {
  session.handed.c = c;
  more(session);
}

void Egress::all(Session& session) {
  if (session.connection == 0) return;
  for (const Parcel* next = next_of(session); next != nullptr; next = next_of(session)) {
    session.handed.c = next->c;
    desk_.effects.push_back(SendPacket{session.connection, *next});
  }
}

/// Who got nothing is first in the next round, in the same order: what is left of the gate's rate
/// goes around.
std::size_t Egress::turns(std::size_t most) {
  if (round_ == 0) {
    if (desk_.now - round_at_ < kRoundPause) return 0;
    round_at_ = desk_.now;
    round_ = ring_.size();
  }
  const std::int64_t bytes = turn_bytes();
  std::size_t done = 0;
  for (; done < most && round_ > 0; ++done, --round_) {
    const Place place = ring_.front();
    ring_.pop_front();
    Session* const session = desk_.table.find(place.session);
    if (session == nullptr || session->handed.ticket != place.ticket) continue;
    const std::uint64_t before = session->handed.c;
    if (session->connection != 0 && may(*session)) {
      session->handed.turn = std::min(session->handed.turn + bytes, 2 * bytes);
      hand_out(*session, true);
    }
    if (waiting(*session) == 0) {
      session->handed.ticket = 0;
    } else {
      (session->handed.c == before ? unserved_ : ring_).push_back(place);
    }
  }
  if (round_ == 0) {
    ring_.insert(ring_.begin(), unserved_.begin(), unserved_.end());
    unserved_.clear();
  }
  return done;
}

}  // namespace starbus::nodes::gate
