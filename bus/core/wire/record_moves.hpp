/// Records of moves. Requests are idempotent and repeated until answered. docs/design/protocol.md,
/// "Moves".
#pragma once

#include "bus/core/wire/record.hpp"

namespace starbus::bus {

/// The owner at this epoch has drained and asks to freeze. Answered by move_ok or no_move.
struct Move {
  static constexpr Kind kKind = Kind::move;
  Process process;
  ChannelId channel;
  Epoch epoch;
  Ticket ticket;
  template <class A>
  void fields(A& a) {
    a(process, channel, epoch, ticket);
  }
};

/// busroot allows the move under this ticket: the owner freezes the name and sends its state.
struct MoveOk {
  static constexpr Kind kKind = Kind::move_ok;
  Process process;
  ChannelId channel;
  Epoch epoch;
  Lineage lineage;
  Ticket ticket;
  template <class A>
  void fields(A& a) {
    a(process, channel, epoch, lineage, ticket);
  }
};

/// The move is refused: busy or not_bound. The owner goes on as before.
struct NoMove {
  static constexpr Kind kKind = Kind::no_move;
  Process process;
  ChannelId channel;
  Ticket ticket;
  Errc reason = Errc::busy;
  std::string detail;
  template <class A>
  void fields(A& a) {
    a(process, channel, ticket, reason, detail);
  }
};

/// The target has the state. Answered by attached or refused.
struct Attach {
  static constexpr Kind kKind = Kind::attach;
  Process process;
  std::string name;
  Ticket ticket;
  template <class A>
  void fields(A& a) {
    a(process, name, ticket);
  }
};

/// The source has been frozen for too long, or knows that the state did not arrive. Answered by
/// reclaimed or moved, or not until busroot can decide.
struct Reclaim {
  static constexpr Kind kKind = Kind::reclaim;
  Process process;
  std::string name;
  Ticket ticket;
  template <class A>
  void fields(A& a) {
    a(process, name, ticket);
  }
};

/// The name stays with the source, under a fresh epoch. The lineage is the old one only if the
/// target certainly never ran; otherwise filter and outbox are void.
struct Reclaimed {
  static constexpr Kind kKind = Kind::reclaimed;
  Process process;
  ChannelId channel;
  Epoch epoch;
  Lineage lineage;
  Ticket ticket;
  template <class A>
  void fields(A& a) {
    a(process, channel, epoch, lineage, ticket);
  }
};

/// The target has confirmed: the source forgets its copy and answers freed.
struct Moved {
  static constexpr Kind kKind = Kind::moved;
  Process process;
  ChannelId channel;
  Ticket ticket;
  template <class A>
  void fields(A& a) {
    a(process, channel, ticket);
  }
};

/// `last` of one stream to a channel: see owner.hpp.
struct FilterRow {
  Process origin;
  Lane lane = Lane::call;
  std::uint64_t last = 0;
  template <class A>
  void fields(A& a) {
    a(origin, lane, last);
  }
};

/// A message from a moving channel that waits until the channel is active again.
struct OutboxItem {
  ChannelId channel;
  std::string open_name;  // for restricted roles; empty if unknown
  Lane lane = Lane::call;
  std::uint32_t ttl_ms = 0;  // time left; 0: never expires
  Bytes message;
  template <class A>
  void fields(A& a) {
    a(channel, open_name, lane, ttl_ms, message);
  }
};

/// All that travels in a move: the body of a system message (data.hpp) from the source to the
/// target's process channel. Never a record of a link.
struct State {
  static constexpr Kind kKind = Kind::state;
  Ticket ticket;
  std::string name;
  Epoch epoch;
  Lineage lineage;
  std::vector<FilterRow> filter;
  std::vector<OutboxItem> outbox;
  Bytes application;
  template <class A>
  void fields(A& a) {
    a(ticket, name, epoch, lineage, filter, outbox, application);
  }
};

/// The target refuses a state, so that the source need not wait. A system message too.
struct StateRefused {
  static constexpr Kind kKind = Kind::state_refused;
  Ticket ticket;
  Errc reason = Errc::move_refused;
  std::string detail;
  template <class A>
  void fields(A& a) {
    a(ticket, reason, detail);
  }
};

}  // namespace starbus::bus
