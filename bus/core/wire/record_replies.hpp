/// Replies to messages, and what a sender asks about them. DATA and MULTICAST are in data.hpp.
/// docs/design/protocol.md, "Origin" and "Owner".
#pragma once

#include <string>

#include "bus/core/error.hpp"
#include "bus/core/wire/ids.hpp"
#include "bus/core/wire/record_kind.hpp"

namespace starbus::bus {

/// Asks the owner for the last sequence that it handled of this stream. No body, no lineage.
struct Probe {
  static constexpr Kind kKind = Kind::probe;
  Lane lane = Lane::call;
  Process origin;
  ChannelId channel;
  std::uint64_t seq = 0;
  template <class A>
  void fields(A& a) {
    a(lane, origin, channel, seq);
  }
};

/// Handled, everything up to `last` on this stream. Routed by origin; may be lost.
struct Ack {
  static constexpr Kind kKind = Kind::ack;
  Lane lane = Lane::call;
  Process origin;
  ChannelId channel;
  Lineage lineage;
  std::uint64_t last = 0;
  template <class A>
  void fields(A& a) {
    a(lane, origin, channel, lineage, last);
  }
};

/// The sender has given up this message, which has left: its time-to-live or its deadline is over.
/// Travels ahead of the messages, in the control lane; an owner that gets it before the message
/// hands that one to no handler. May be lost. Since 1.2.
struct Withdraw {
  static constexpr Kind kKind = Kind::withdraw;
  Lane lane = Lane::call;
  Process origin;
  ChannelId channel;
  std::uint64_t seq = 0;
  template <class A>
  void fields(A& a) {
    a(lane, origin, channel, seq);
  }
};

enum class NackReason : std::uint8_t { gap = 1, lineage = 2, overflow = 3, no_owner = 4 };
std::string_view name_of(NackReason reason);

/// Not handled. An owner (gap, lineage) sets `last` and the lineage; a daemon (overflow, no_owner)
/// leaves them 0. Of reason lineage, `last` is the age of the owner: for how many milliseconds it
/// has been there under its lineage, 0 if it does not say (before 1.2).
struct Nack {
  static constexpr Kind kKind = Kind::nack;
  Lane lane = Lane::call;
  Process origin;
  ChannelId channel;
  std::uint64_t seq = 0;
  NackReason reason = NackReason::gap;
  Lineage lineage;
  std::uint64_t last = 0;
  template <class A>
  void fields(A& a) {
    a(lane, origin, channel, seq, reason, lineage, last);
  }
};

/// A process under a restricted role names a channel before it sends to it in this lane and
/// session, so that its busd can check the name of that hash.
struct Open {
  static constexpr Kind kKind = Kind::open;
  Lane lane = Lane::call;
  std::string channel_name;
  template <class A>
  void fields(A& a) {
    a(lane, channel_name);
  }
};

/// busd to a process that it has answered NACK overflow while its uplink was down: the uplink is up
/// again. A hint: choked streams probe now and do not wait for their back-off. Since 1.1.
struct Room {
  static constexpr Kind kKind = Kind::room;
  template <class A>
  void fields(A&) {}
};

}  // namespace starbus::bus
