/// The sending side of a process: custody of every message until it is acknowledged or has failed.
///
/// One stream per (channel, lane). A stream keeps its unacknowledged messages as they will lie on
/// the wire, so that sending and resending copy ranges. Rules, see docs/design/protocol.md
/// "Origin":
///   - sequences grow by 1 per lane over all channels; `prev` chains what is unacknowledged;
///   - lineage unknown: PROBE, bodies wait; ACK and NACK gap release up to `last`;
///   - overflow chokes the stream: only PROBEs of its tail, with back-off, until the owner answers;
///   - a higher lineage, or no_owner, fails what was sent as owner_lost (unknown), and what was
///     never sent is sent to the new lineage, or fails as no_owner (definite);
///   - a new session resends everything;
///   - a durable stream is released by Posted alone, which carries the results, and waits as a
///     choked one while nobody owns its channel: its owner's disk knows what was handled.
/// Windows exist only here: kChannelWindow per stream, kProcessWindow in all. Sans-IO, one thread.
/// Events are called at the end of on_*, tick, and fail_all, when all state is in order: they may
/// call back into `send`.
#pragma once

#include <boost/intrusive/list.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <memory>
#include <vector>

#include "bus/core/lanes.hpp"
#include "bus/core/wire/data.hpp"
#include "bus/core/wire/record.hpp"
#include "bus/core/wire/record_mail.hpp"

namespace starbus::bus {

/// Names a message to its sender's events; 0: nobody asked.
using Token = std::uint64_t;

class OriginEvents {
 public:
  /// Handled (only for messages with a token).
  virtual void on_acknowledged(Token token) = 0;
  /// no_owner (definite), owner_lost or expired (unknown, unless it says so: see `sent`).
  virtual void on_failed(Token token, const ChannelId& channel, Lane lane, std::uint64_t seq,
                         Errc reason, bool sent) = 0;
  /// Of a durable stream: `number` is the message's place in what it was posted to; or `status`
  /// says why it was refused.
  virtual void on_posted(Token, Errc, std::uint64_t) {}
  /// A window shrank: whoever waits for room may ask again.
  virtual void on_room() = 0;

 protected:
  ~OriginEvents() = default;
};

struct OriginCounters {
  std::uint64_t sent = 0;  // messages taken into custody
  std::uint64_t acknowledged = 0, failed = 0, expired = 0;
  std::uint64_t transmitted = 0;  // messages put on the link, resends included
  std::uint64_t probes = 0, resends = 0, chokes = 0;
};

/// Where a message goes, and what its sender knows about the place.
struct Destination {
  ChannelId channel;
  Lineage hint{};                // learnt elsewhere (watch, request); 0: unknown, PROBE first
  std::string_view open_name{};  // under a restricted role: said in an `open` record first
  bool durable = false;  // its owner answers by Posted; the same in all sends to one channel
};

/// Which of this process' channels a message is from (see `drained`; 0: the process itself), and
/// whether it is for the library at its target. System messages pass the windows: they are few.
struct Marks {
  std::uint32_t sender = 0;
  bool system = false;
};

class Origin final : public LaneSource {
 public:
  explicit Origin(OriginEvents& events) : events_(events) {}
  ~Origin();

  /// Takes the message head+body and returns its sequence. `expires` 0: never. would_block: a
  /// window is full, `on_room` will be called; too_large.
  Result<std::uint64_t> send(const Destination& to, Lane lane, ByteView head, ByteView body,
                             Token token, Time expires, Marks marks = {});

  struct Recipient {
    Destination to;
    Token token = 0;
  };
  /// One body to many; all of it is taken, or nothing. Streams that can send at once share one
  /// MULTICAST record, the others are served singly.
  Result<> multicast(std::span<const Recipient> recipients, Lane lane, ByteView head, ByteView body,
                     Time expires, std::uint32_t sender = 0);

  void on_ack(const Ack& ack);
  void on_nack(const Nack& nack);
  void on_posted(const Posted& posted);
  /// A way that was cut is open again: choked streams probe at once.
  void on_room();
  /// A new session with busd: everything unacknowledged is sent again.
  void on_session();
  /// The role has become restricted: streams need the names that they were begun without. What goes
  /// to a channel that `name_of` does not know, or to one that `allowed` denies, fails as denied.
  void restrict(const std::function<std::string(const ChannelId&)>& name_of,
                const std::function<bool(std::string_view)>& allowed);
  /// Probes, chokes and expiries. Call every 10 to 50 ms.
  void tick(Time now);
  void set_now(Time now) { now_ = now; }
  /// Fails everything: the process leaves (owner_lost, or no_owner for what was never sent), or has
  /// lost its lease (`reason` for both).
  void fail_all(Errc reason = Errc::ok);
  /// Drops a queued or unacknowledged message's body: it will reach no handler if it has not yet.
  /// Used by calls whose deadline passed. No event follows.
  void withdraw(const ChannelId& channel, Lane lane, std::uint64_t seq);

  bool idle() const { return busy_.empty(); }
  /// Nothing of this sender is unacknowledged.
  bool drained(std::uint32_t sender) const { return !outstanding_.contains(sender); }
  bool has_room(const ChannelId& channel, Lane lane) const;
  bool unacknowledged(const ChannelId& channel, Lane lane) const;
  std::uint64_t unacknowledged_bytes() const { return bytes_; }
  /// What waits for one owner, in one lane.
  struct Waiting {
    ChannelId channel;
    Lane lane = Lane::call;
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
  };
  /// The `most` with the most bytes, those first.
  std::vector<Waiting> unacknowledged(std::size_t most) const;
  /// The same of one stream: what is on its window.
  std::uint64_t unacknowledged_bytes(const ChannelId& channel, Lane lane) const;
  /// The stream with the fullest window among those whose owner has said nothing for so long;
  /// none: 0 bytes. Looks at every busy stream.
  struct Stuck {
    ChannelId channel;
    std::uint64_t bytes = 0;
  };
  Stuck stuck(Time silence) const;
  /// Marks what has been sent so far; `settled` is true once all of that is acknowledged or failed.
  using Mark = std::array<std::uint64_t, kLanes>;
  Mark mark() const { return next_seq_; }
  bool settled(const Mark& mark) const;
  const OriginCounters& counters() const { return counters_; }

  bool ready(Lane lane) const override;
  Pulled pull(Lane lane, std::size_t budget, Bytes& out) override;

 private:
  using Hook = boost::intrusive::list_member_hook<>;
  static constexpr std::size_t kNoLimit = ~std::size_t{0};
  struct Key {
    ChannelId channel;
    Lane lane;
    friend bool operator==(const Key&, const Key&) = default;
    friend std::size_t hash_value(const Key& key) {
      return hash_value(key.channel) + static_cast<std::size_t>(key.lane) * 0x9e3779b9;
    }
  };
  struct Meta {
    std::uint64_t seq;
    Token token;
    std::uint32_t encoded;        // bytes in Stream::bytes, item header included
    std::uint32_t sender;         // see Marks
    std::uint32_t expires;        // milliseconds, wrapping; 0: never
    std::uint32_t shared : 31;    // the body is shared_[this - 1]; 0: in Stream::encoded
    std::uint32_t tombstone : 1;  // expired or withdrawn; its fate was told
  };
  struct Stream {
    ChannelId channel;
    Lane lane = Lane::call;
    Lineage lineage;
    std::string open_name;    // empty: no `open` needed
    Fifo<Meta> items;         // unacknowledged, by seq
    Fifo<std::byte> encoded;  // their wire form, in the same order
    std::uint64_t prev = 0;   // of items[0]
    std::size_t cursor = 0;   // next item to transmit
    std::size_t cursor_bytes = 0;
    std::size_t sent = 0;                   // items before this index left at least once
    std::size_t most_in_flight = kNoLimit;  // bytes transmitted and not released; see slow_down
    std::uint64_t charge = 0;
    Time answered{};  // latest reply, or when the stream became busy
    Time touched{};   // the same, or the latest probe
    Time pause{};     // back-off of probes, or of the choke
    Time probe_at{};  // while choked
    bool choked = false;
    bool want_probe = false;
    bool durable = false;
    bool opened = false;            // `open` said in this session
    std::uint32_t next_expiry = 0;  // not later than that of any item; 0: none expires
    std::uint64_t resent_last = ~std::uint64_t{0};
    Time resent_at{};
    Time round_trip{};
    std::uint64_t timed_seq = 0;  // a message whose round trip is being measured
    Time timed_at{};
    Hook ready_hook, busy_hook, idle_hook;

    bool sendable() const {
      return lineage && !choked && cursor < items.size() && cursor_bytes < most_in_flight;
    }
  };
  template <Hook Stream::*hook>
  using List = boost::intrusive::list<Stream, boost::intrusive::member_hook<Stream, Hook, hook>,
                                      boost::intrusive::constant_time_size<true>>;

  static std::uint32_t expiry_stamp(Time time) {
    const auto stamp = static_cast<std::uint32_t>(time / std::chrono::milliseconds(1));
    return stamp == 0 ? 1 : stamp;  // 0 means "never"
  }
  /// Stamps wrap. 0: there is none.
  static bool has_passed(std::uint32_t expiry, std::uint32_t present) {
    return expiry != 0 && static_cast<std::int32_t>(present - expiry) >= 0;
  }
  static std::uint32_t earlier_expiry(std::uint32_t one, std::uint32_t other) {
    if (one == 0 || other == 0) return one + other;
    return has_passed(one, other) ? one : other;
  }
  Stream* find(const ChannelId& channel, Lane lane) const;
  Stream& stream_for(const Destination& to, Lane lane);
  bool room_in(const Stream* stream, std::size_t charge, std::size_t process_charge) const;
  std::uint32_t share(ByteView head, ByteView body);
  void drop_shared(std::uint32_t shared);
  std::uint64_t append(Stream& stream, ByteView head, ByteView body, Token token, Time expires,
                       std::uint32_t shared, Marks marks);
  /// Bytes on the channel's window.
  std::uint32_t charge_of(const Meta& meta) const {
    if (meta.shared == 0) return meta.encoded;
    return static_cast<std::uint32_t>(kItemHeader + shared_[meta.shared - 1].bytes.size());
  }
  void schedule(Stream& stream);
  void rewind(Stream& stream);
  void release(Stream& stream, std::uint64_t last);
  void release_posted(Stream& stream, const Posted& posted);
  void choke(Stream& stream);
  void slow_down(Stream& stream);
  void speed_up(Stream& stream, std::size_t released);
  void pop_front(Stream& stream, std::size_t count);
  void fail_front(Stream& stream, std::size_t count, Errc reason, bool sent);
  void fail_suffix(Stream& stream, Errc sent_reason = Errc::owner_lost,
                   Errc unsent_reason = Errc::no_owner);
  void dispatch_events();
  void became_idle(Stream& stream);
  bool adopt_lineage(Stream& stream, Lineage lineage);
  void owner_answered(Stream& stream);
  void sample_round_trip(Stream& stream, std::uint64_t last);
  Time silence_of(const Stream& stream) const;
  void expire(Stream& stream);
  template <class Pick>
  void bury(Stream& stream, Pick&& pick);
  void emit_open(Stream& stream, Bytes& out);
  void emit_probe(Stream& stream, Bytes& out);
  std::size_t emit_run(Stream& stream, std::size_t budget, bool alone, Bytes& out);
  void append_items(const Stream& stream, std::size_t count, std::size_t size, Bytes& out) const;

  OriginEvents& events_;
  Time now_{};
  std::array<std::uint64_t, kLanes> next_seq_{1, 1, 1, 1};
  boost::unordered_flat_map<Key, std::unique_ptr<Stream>, boost::hash<Key>> streams_;
  std::array<List<&Stream::ready_hook>, kLanes> ready_;
  std::array<Fifo<std::byte>, kLanes> direct_;  // multicasts, before all streams of the lane
  List<&Stream::busy_hook> busy_;               // streams with unacknowledged messages
  List<&Stream::idle_hook> idle_;               // the others, longest idle first
  // Bodies of multicasts: one copy for all recipients, charged to the process once, until the last
  // of them is settled. Meta::shared is the place here plus one.
  struct SharedBody {
    Bytes bytes;
    std::uint32_t holders = 0;
  };
  std::vector<SharedBody> shared_;
  std::vector<std::uint32_t> free_shared_;
  boost::unordered_flat_map<std::uint32_t, std::uint32_t> outstanding_;  // messages per sender
  std::uint64_t bytes_ = 0;  // on the window of the process
  bool freed_ = false;       // some window shrank since the last dispatch
  OriginCounters counters_;

  struct Event {
    Token token;
    ChannelId channel;
    Lane lane;
    std::uint64_t seq;
    Errc reason;  // ok: acknowledged
    bool sent;
    bool posted = false;  // then `number` or the status in `reason`
    std::uint64_t number = 0;
  };
  std::vector<Event> events_due_;
};

}  // namespace starbus::bus
