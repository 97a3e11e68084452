/// What busd and busroot have in common: links with sessions and queues, forwarding that answers
/// NACK overflow when a queue is full, heartbeats, ages, and the record of recent failures.
/// Sans-IO.
///
/// A router is driven by its shell (the daemon's event loop, or a simulator): `link_opened`,
/// `on_bundle`, `link_closed`, `tick`, and `flush` after each batch of these. It answers through
/// `RouterShell`. Single-threaded. Nothing here ever stops reading a link.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "bus/core/session.hpp"
#include "bus/core/wire/data.hpp"
#include "bus/core/wire/record_admin.hpp"
#include "bus/core/wire/record_mail.hpp"

namespace starbus::bus {

using LinkId = std::uint64_t;  // given by the shell, never reused; 0 is nobody

/// What the operating system or CURVE says about the peer of a link.
struct PeerFacts {
  std::int64_t pid = 0;
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::string key;      // CURVE public key, Z85; empty without CURVE
  std::string address;  // for people
};

/// What a router asks of the world. Implementations must not call back into the router.
class RouterShell {
 public:
  virtual Bytes take_buffer(LinkId link) = 0;
  virtual void send(LinkId link, Bytes bundle) = 0;
  /// Sends what was given to `send`, then ends the link. No `link_closed` follows.
  virtual void close(LinkId link) = 0;
  enum class Level { debug, info, warning, error };
  virtual void log(Level level, const std::string& text) = 0;

 protected:
  ~RouterShell() = default;
};

/// Totals that metrics, `bustop` and tests read.
struct RouterCounters {
  std::uint64_t runs_forwarded = 0;
  std::uint64_t messages_forwarded = 0;
  std::uint64_t bytes_forwarded = 0;
  std::uint64_t multicasts_in = 0;
  std::uint64_t multicast_copies_out = 0;  // one per next hop
  std::uint64_t probes = 0;
  std::uint64_t acks = 0;
  std::uint64_t nacks_overflow = 0;
  std::uint64_t nacks_no_owner = 0;
  std::uint64_t expired_records = 0;
  std::uint64_t dropped_replies = 0;  // ACK or NACK for somebody who is gone: allowed to vanish
  std::uint64_t sessions_opened = 0;
  std::uint64_t sessions_ended = 0;
  std::uint64_t sessions_refused = 0;
  std::uint64_t hostile_bytes = 0;  // sessions ended for bad_bytes
};

/// One entry for `bustop why`: something did not get through here.
struct Failure {
  Time at{};
  ChannelId channel;
  Process origin;
  std::string reason;  // "no_owner", "overflow", "already_bound: ..."
};

/// One link as operators see it.
struct LinkStatus {
  LinkId id = 0;
  std::string peer;  // HOST or HOST.NODE; the address before it is known
  std::string address;
  bool greeted = false;
  Time round_trip{};
  Time silence{};
  std::uint64_t in_flight = 0;
  std::array<std::size_t, kLanes> queued{};  // bytes per lane
  SessionCounters session;
};

/// Of control records that wait for a link: beyond it no trace is added.
inline constexpr std::size_t kTraceRoom = 1024 * 1024;

/// Likewise beyond it no snapshot of a watch is begun: the largest still fits into kControlQueue.
inline constexpr std::size_t kSnapshotRoom = 8 * 1024 * 1024;
/// A watcher with more than this in its control queue is told no changes, but a snapshot later.
inline constexpr std::size_t kDeltaRoom = 32 * 1024 * 1024;

/// A bounded ring of the latest failures.
class FailureLog {
 public:
  static constexpr std::size_t kKept = 4096;
  void add(Failure failure);
  const std::deque<Failure>& latest() const { return failures_; }

 private:
  std::deque<Failure> failures_;
};

class Router {
 public:
  Router(RouterShell& shell, Time now) : shell_(shell), now_(now) {}
  virtual ~Router() = default;

  void link_opened(LinkId id, PeerFacts peer, Time now);
  /// The transport broke. A link that the router itself closed is not reported.
  void link_closed(LinkId id, const Error& reason, Time now);
  void on_bundle(LinkId id, ByteView bundle, Time now);
  /// Every 50 to 100 ms.
  virtual void tick(Time now);
  /// Sends what became ready on any link since the last call.
  void flush();

  const RouterCounters& counters() const { return counters_; }
  const FailureLog& failures() const { return failures_; }
  /// In order of id.
  std::vector<LinkStatus> link_status() const;
  /// Messages of this channel are shown to `tap` as they pass ("bustop tail"); null ends it.
  using Tap = std::function<void(const Run&)>;
  void set_tap(const ChannelId& channel, Tap tap);

 protected:
  /// What a derived router knows about the peer of a link; it owns it.
  struct Attachment {
   protected:
    ~Attachment() = default;
  };

  struct Link final : LaneSource {
    LinkId id = 0;
    PeerFacts peer;
    Session session;
    SourceQueues queues;
    bool greeted = false;    // hello accepted
    std::uint8_t minor = 0;  // protocol version of the session
    Time opened{};
    bool dirty = false;       // listed in dirty_
    bool overloaded = false;  // its control queue overflowed: ended by the next flush
    bool uplink = false;      // of a busd, with its busroot
    std::string name;         // HOST or HOST.NODE once greeted: for logs
    Attachment* attachment = nullptr;
    explicit Link(Time now) : session(0, now) {}
    bool ready(Lane lane) const override { return queues.ready(lane); }
    FillResult fill_bundle(Lane lane, std::size_t budget, Bytes& out) override {
      return queues.fill_bundle(lane, budget, out);
    }
  };

  /// A record of a greeted or greeting link. Errors end the link.
  virtual Result<> on_record(Link& link, Kind kind, ByteView payload) = 0;
  /// The link is about to be forgotten, whoever ended it: let go of every pointer to it.
  virtual void on_link_gone(Link& link, const Error& reason) = 0;
  /// For the heartbeats that this side sends: see Heartbeat.
  virtual std::uint64_t lease_age() const { return Heartbeat::kNoLease; }
  /// The link over which replies to this origin travel; null if there is none.
  virtual Link* link_towards(const Process& origin) = 0;

  Link* find_link(LinkId id);
  template <class Callback>
  void for_each_link(Callback&& callback) {
    for (auto& [id, link] : links_) callback(*link);
  }
  std::size_t link_count() const { return links_.size(); }

  /// Ends the session: says RESET with the reason first, if there is room for it.
  void end_link(Link& link, const Error& reason);

  /// Queues a control record for `to`. If its queue is full, the next flush ends its session as
  /// overloaded (never at once, so that no caller loses a link under its feet).
  template <class Record>
  void tell(Link& to, const Record& record, SourceQueues::Source source = 0) {
    scratch_.clear();
    encode(record, scratch_);
    tell_encoded(to, scratch_, source);
  }
  void tell_encoded(Link& to, ByteView record, SourceQueues::Source source);

  /// Queues a data record (DATA or PROBE, header included) that came from `source`. If the queue is
  /// full its origin gets NACK overflow.
  void forward_run(Link& to, const Run& run, ByteView record, LinkId source);
  /// The same for a run whose record header is not at hand: `payload` is what on_record was given.
  void forward_payload(Link& to, const Run& run, ByteView payload, LinkId source);
  void forward_probe(Link& to, const Probe& probe, LinkId source);
  void forward_multicast(Link& to, const Multicast& part, LinkId source);
  /// Adds a hop and sends it on, in turn with the messages of its lane. If that cannot be, its end
  /// is set and it has to go back.
  void forward_trace(Link& to, HopTrace& trace, const std::string& here, LinkId source);
  void add_hop(HopTrace& trace, const std::string& here) const;
  /// Traces may be lost; what they share a queue with may not.
  static bool has_room_for_trace(const Link& to) {
    return to.queues.bytes(Lane::control) < kTraceRoom;
  }

  /// NACK towards the origin, counted and remembered.
  void nack(Lane lane, const Process& origin, const ChannelId& channel, std::uint64_t seq,
            NackReason reason);
  /// NACK overflow for want of a way, and not of room: the origin sends again later. `why` is for
  /// `bustop why`: no_uplink, no_session, over_rate.
  void hold_back(Lane lane, const Process& origin, const ChannelId& channel, std::uint64_t seq,
                 std::string_view why);
  /// ACK or NACK on its way to its origin; may vanish.
  template <class Reply>
  void route_reply(const Reply& reply) {
    Link* const link = link_towards(reply.origin);
    // Who speaks 1.0 has asked for none.
    const bool known = Reply::kKind != Kind::posted || (link && link->minor >= kDurableMinor);
    if (link && known) {
      tell(*link, reply);
    } else {
      ++counters_.dropped_replies;
    }
  }
  void note_failure(const ChannelId& channel, const Process& origin, std::string reason);
  void touch(Link& link);
  void show_to_tap(const Run& run);

  Time now() const { return now_; }
  RouterShell& shell_;
  RouterCounters counters_;

 private:
  struct Dispatcher;
  void count_forwarded(Link& to, const Run& run, std::size_t size);
  void nack_dropped(ByteView record);
  void send_nack(Lane lane, const Process& origin, const ChannelId& channel, std::uint64_t seq,
                 NackReason reason, std::string_view why);
  void check_incomplete();
  void pump(Link& link);

  Time now_;
  FailureLog failures_;
  std::size_t queued_total_ = 0;  // outlives the links, which count into it
  boost::unordered_flat_map<LinkId, std::unique_ptr<Link>> links_;
  std::size_t strangers() const;
  std::vector<LinkId> dirty_;
  std::vector<std::unique_ptr<Link>>
      ended_;  // freed by flush: callers up the stack still hold them
  boost::unordered_flat_map<ChannelId, Tap> taps_;
  Bytes scratch_;
};

}  // namespace starbus::bus
