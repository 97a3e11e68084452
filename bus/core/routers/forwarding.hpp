/// Records on their way through a router: copied into the queue of the next link, or refused.
///
/// A data record that finds its queue full is answered NACK overflow, so its origin sends it again
/// later. ACK and NACK may be lost. Keeps the latest failures for `bustop why` and the taps of
/// `bustop tail`. Belongs to the router's thread; owns nothing but these two.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <string_view>

#include <boost/unordered/unordered_flat_map.hpp>

#include "bus/core/routers/links.hpp"
#include "bus/core/wire/data.hpp"
#include "bus/core/wire/record_admin.hpp"
#include "bus/core/wire/record_mail.hpp"

namespace starbus::bus {

/// Messages and what answers them; the rest are requests about names, watches and sessions.
constexpr bool is_message_record(Kind kind) {
  switch (kind) {
    case Kind::data:
    case Kind::probe:
    case Kind::multicast:
    case Kind::ack:
    case Kind::posted:
    case Kind::nack:
    case Kind::withdraw:
      return true;
    default:
      return false;
  }
}

/// One entry for `bustop why`: a record that did not get through here.
struct Failure {
  Time at{};
  ChannelId channel;
  Process origin;
  std::string reason;  // "no_owner", "overflow", "already_bound: ..."
};

/// A bounded ring of the latest failures.
class FailureLog {
 public:
  /// The oldest failure gives way to the newest.
  static constexpr std::size_t kKept = 4096;
  void add(Failure failure);
  const std::deque<Failure>& latest() const { return failures_; }

 private:
  std::deque<Failure> failures_;
};

/// How a router finds the way back to the sender of a message.
class ReplyRoutes {
 public:
  /// The link over which replies to this origin travel; null if there is none.
  virtual RouterLink* link_towards(const Process& origin) = 0;

 protected:
  ~ReplyRoutes() = default;
};

class Forwarding {
 public:
  /// Gets each run of one channel that passes.
  using Tap = std::function<void(const Run&)>;

  Forwarding(Links& links, ReplyRoutes& routes) : links_(links), routes_(routes) {}

  /// Queues a run that came from the link `source`; `payload` is its record without the header.
  void forward_run(RouterLink& to, const Run& run, ByteView payload, SourceQueues::Source source);
  void forward_probe(RouterLink& to, const Probe& probe, SourceQueues::Source source);
  void forward_multicast(RouterLink& to, const Multicast& part, SourceQueues::Source source);
  /// Ahead of the messages; dropped if the peer does not know it, or much waits for it.
  void forward_withdraw(RouterLink& to, const Withdraw& withdraw);
  /// Adds a hop and queues the trace behind the messages of its lane. If that is not possible, sets
  /// its end: the caller sends it back.
  void forward_trace(RouterLink& to, HopTrace& trace, const std::string& here,
                     SourceQueues::Source source);
  void add_hop(HopTrace& trace, const std::string& here) const;
  /// Traces may be lost; the records that share their queue may not.
  static bool has_room_for_trace(const RouterLink& to) {
    return to.queues.bytes(Lane::control) < kTraceRoom;
  }

  /// NACK towards the origin, counted and remembered as a failure.
  void nack(Lane lane, const Process& origin, const ChannelId& channel, std::uint64_t seq,
            NackReason reason);
  /// NACK overflow because there is no way now, not because a queue is full. `why` is for
  /// `bustop why`: no_uplink, no_session, over_rate.
  void hold_back(Lane lane, const Process& origin, const ChannelId& channel, std::uint64_t seq,
                 std::string_view why);
  /// NACK overflow for a data record, header included, that waited too long.
  void nack_expired(ByteView record);
  /// Sends an ACK, POSTED or NACK towards its origin, in the name of the link that it came from; of
  /// the daemon itself without one. May be dropped.
  template <class Reply>
  void route_reply(const Reply& reply, SourceQueues::Source source = 0) {
    RouterLink* const link = routes_.link_towards(reply.origin);
    // A peer of version 1.0 has not asked for POSTED.
    const bool known = Reply::kKind != Kind::posted || (link && link->minor >= kDurableMinor);
    const bool sent = link && known && links_.tell_reply(*link, reply, source);
    if (!sent) ++links_.counters().dropped_replies;
  }

  /// Remembers a failure for `bustop why`, under the present time.
  void note_failure(const ChannelId& channel, const Process& origin, std::string reason);
  const FailureLog& failures() const { return failures_; }
  /// Null removes the tap.
  void set_tap(const ChannelId& channel, Tap tap);
  void show_to_tap(const Run& run);

 private:
  void send_nack(Lane lane, const Process& origin, const ChannelId& channel, std::uint64_t seq,
                 NackReason reason, std::string_view why);

  Links& links_;
  ReplyRoutes& routes_;
  FailureLog failures_;
  boost::unordered_flat_map<ChannelId, Tap> taps_;
  Bytes scratch_;
};

}  // namespace starbus::bus
