/// The sending side of a process: keeps every message until it is acknowledged or has failed.
///
/// One stream per (channel, lane). Rules, see docs/design/protocol.md "Origin":
///   - sequences grow by 1 per lane over all channels; `prev` chains what is unacknowledged;
///   - lineage unknown: PROBE, bodies wait; ACK and NACK gap release up to `last`;
///   - overflow chokes the stream: only PROBEs of its tail, with back-off, until the owner answers;
///   - a higher lineage fails, as owner_lost (unknown), what was sent before its owner was there;
///     the rest is sent to that owner;
///   - no_owner fails what was never sent as no_owner (definite), up to the message that it
///     answers: later ones ask for themselves. If anything was sent, a question is asked first, and
///     only no_owner for that ends messages: what was sent before it as owner_lost;
///   - a new session sends everything again;
///   - a durable stream is released by Posted alone, which carries the results, and waits as a
///     choked one while its channel has no owner: the owner's disk knows what was handled.
/// Windows exist only here: kChannelWindow per stream, kProcessWindow in all.
///
/// Origin applies these rules; the messages are in Custody, the streams in StreamTable, and
/// StreamWriter puts them on the link. Sans-IO, one thread. Events are called at the end of on_*,
/// tick and fail_all, when all state is in order: they may call `send`.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "bus/core/lanes.hpp"
#include "bus/core/origin/custody.hpp"
#include "bus/core/origin/origin_events.hpp"
#include "bus/core/origin/stream_table.hpp"
#include "bus/core/origin/stream_writer.hpp"
#include "bus/core/wire/data.hpp"
#include "bus/core/wire/record.hpp"
#include "bus/core/wire/record_mail.hpp"

namespace starbus::bus {

/// The channel to which a message goes, and what its sender knows about it.
struct Destination {
  ChannelId channel;
  Lineage hint{};                // from a watch or a request; 0: unknown, so PROBE first
  std::string_view open_name{};  // under a restricted role: sent in an `open` record first
  bool durable = false;  // its owner answers with Posted; the same in all sends to one channel
};

/// One of the receivers of a multicast.
struct Recipient {
  Destination to;
  Token token = 0;
};

/// What a multicast does about receivers whose window is full, and which these are.
struct FullReceivers {
  bool skip = false;                  // send to the others; otherwise to none
  std::vector<std::size_t> places{};  // set by the multicast, in its list of receivers
};

/// `sender`: the channel of this process that sends (see `drained`), 0 for the process itself.
/// `system`: for the library at the target; windows do not apply, since such messages are few.
/// `reply`: the answer to a call, which may use kReplyReserve beyond the windows.
struct Marks {
  std::uint32_t sender = 0;
  bool system = false;
  bool reply = false;
};

class Origin final : public LaneSource {
 public:
  explicit Origin(OriginEvents& events) : custody_(streams_, events) {}
  Origin(const Origin&) = delete;
  Origin& operator=(const Origin&) = delete;

  // --- messages ---
  /// Takes the message head+body and returns its sequence. `expires` 0: never. too_large;
  /// would_block: a window is full, and `on_room` follows.
  Result<std::uint64_t> send(const Destination& to, Lane lane, ByteView head, ByteView body,
                             Token token, Time expires, Marks marks = {});
  using Recipient = bus::Recipient;
  /// One body to many. Streams that can send at once share one MULTICAST record, the others get
  /// runs. Takes all or nothing, unless `full` says to skip; then it is refused if none has room.
  /// would_block without `places`: the window of the process is full.
  Result<> multicast(std::span<const Recipient> recipients, Lane lane, ByteView head, ByteView body,
                     Time expires, std::uint32_t sender = 0, FullReceivers* full = nullptr);
  /// Drops a message's body: it is not sent again. For calls whose deadline has passed. No event
  /// follows. Any number of them in a row costs some visits per message. True if it has left, and
  /// may be waiting on its way.
  bool withdraw(const ChannelId& channel, Lane lane, std::uint64_t seq);

  // --- what comes back ---
  void on_ack(const Ack& ack);
  void on_nack(const Nack& nack);
  void on_posted(const Posted& posted);
  /// busd's uplink is up again: choked streams probe at once.
  void on_room();
  /// A new session with busd: sends everything unacknowledged again.
  void on_session();
  /// The role has become restricted: streams that began without a name need it. Fails, as denied,
  /// messages to channels whose name `name_of` does not know or `allowed` denies.
  void restrict(const std::function<std::string(const ChannelId&)>& name_of,
                const std::function<bool(std::string_view)>& allowed);
  /// Fails everything: with `reason`, or, if that is ok, as a process that leaves (owner_lost, or
  /// no_owner for messages that were never sent).
  void fail_all(Errc reason = Errc::ok);
  /// Probes, chokes and expiries. Call every 10 to 50 ms.
  void tick(Time now);
  void set_now(Time now);

  // --- state ---
  bool idle() const { return streams_.busy().empty(); }
  /// Nothing of this sender is unacknowledged.
  bool drained(std::uint32_t sender) const { return custody_.drained(sender); }
  /// At least half of the channel's window is free, and a quarter of the process'.
  bool has_room(const ChannelId& channel, Lane lane) const;
  /// At least a quarter of the window of the process is free.
  bool has_room() const { return custody_.bytes() <= kProcessWindow / 4 * 3; }
  /// For a stream without room: `take_roomy` lists it once, after on_room, when it has some.
  void await_room(const ChannelId& channel, Lane lane);
  std::vector<StreamTable::Key> take_roomy() { return custody_.take_roomy(); }
  /// A reply of `size` bytes, envelope included, would be taken now.
  bool has_reply_room(const ChannelId& channel, Lane lane, std::size_t size) const;
  bool unacknowledged(const ChannelId& channel, Lane lane) const;
  std::uint64_t unacknowledged_bytes() const { return custody_.bytes(); }
  /// Targets of the multicasts that have not left (stream_writer.hpp).
  std::size_t waiting_targets() const { return writer_.waiting_targets(); }
  /// The unacknowledged messages of one stream.
  struct Waiting {
    ChannelId channel;
    Lane lane = Lane::call;
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
  };
  /// The `most` streams with the most bytes, those first.
  std::vector<Waiting> unacknowledged(std::size_t most) const;
  /// 0 if nothing is unacknowledged.
  std::uint64_t unacknowledged_bytes(const ChannelId& channel, Lane lane) const;
  /// The stream with the most bytes among those whose owner has not answered for so long; 0 bytes
  /// if there is none. Visits every busy stream.
  struct Stuck {
    ChannelId channel;
    std::uint64_t bytes = 0;
  };
  Stuck stuck(Time silence) const;
  /// Marks all messages that were sent so far; `settled` is true when each of them is acknowledged
  /// or has failed.
  using Mark = std::array<std::uint64_t, kLanes>;
  Mark mark() const { return custody_.next_seq(); }
  bool settled(const Mark& mark) const;
  const OriginCounters& counters() const { return custody_.counters; }

  bool ready(Lane lane) const override { return writer_.ready(lane); }
  FillResult fill_bundle(Lane lane, std::size_t budget, Bytes& out) override {
    return writer_.fill_bundle(lane, budget, out);
  }

 private:
  using Stream = OriginStream;

  static bool room_in(const Stream* stream, std::size_t charge, bool reply = false);
  bool room_in_process(std::size_t charge, bool reply = false) const;
  Stream& stream_for(const Destination& to, Lane lane);
  void add_recipient(const Recipient& recipient, Lane lane, SharedBodies::Place place, Time expires,
                     std::uint32_t sender, std::vector<Target>& targets);
  static bool is_pending(const Stream& stream, const Nack& nack);
  void on_owner_missing(Stream& stream, const Nack& nack);
  void on_owner_nack(Stream& stream, const Nack& nack);
  bool adopt_lineage(Stream& stream, Lineage lineage);
  void on_lineage_ended(Stream& stream, const Nack& nack);
  bool judge_sent(Stream& stream, const Nack& nack);
  void ask(Stream& stream);
  void ask_in_time(Stream& stream);
  void on_successor(Stream& stream, Lineage lineage);
  void resume(Stream& stream, bool was_choked);
  void choke(Stream& stream);
  void rewind(Stream& stream);
  bool probe_is_due(Stream& stream);
  void fail_suffix(Stream& stream, Errc sent_reason = Errc::owner_lost,
                   Errc unsent_reason = Errc::no_owner);

  Time now_{};
  std::uint64_t questions_ = 0;  // asked so far, by all streams
  StreamTable streams_;
  Custody custody_;
  StreamWriter writer_{streams_, custody_};
};

}  // namespace starbus::bus
