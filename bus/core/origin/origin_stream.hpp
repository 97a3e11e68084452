/// The unacknowledged messages of one (channel, lane), in order and as they will lie on the wire,
/// so that sending and resending copy ranges; and what is known of the channel's owner.
///
/// A plain structure: Custody adds and removes messages, StreamTable lists streams, StreamWriter
/// moves the cursor, Origin applies the protocol. One thread.
#pragma once

#include <boost/intrusive/list.hpp>
#include <limits>
#include <optional>
#include <string>

#include "bus/core/fifo.hpp"
#include "bus/core/lanes.hpp"
#include "bus/core/origin/origin_events.hpp"
#include "bus/core/origin/shared_bodies.hpp"
#include "bus/core/wire/data.hpp"

namespace starbus::bus {

/// Milliseconds of the clock, wrapping; 0: never expires.
using ExpiryStamp = std::uint32_t;
ExpiryStamp expiry_stamp(Time time);
bool has_passed(ExpiryStamp expiry, ExpiryStamp present);
/// Milliseconds of the clock, wrapping: when a message was taken into custody.
using IssueStamp = std::uint32_t;
IssueStamp issue_stamp(Time time);
/// 0 if both are 0.
ExpiryStamp earlier_expiry(ExpiryStamp one, ExpiryStamp other);

/// What a sender knows of the life of its channel that has followed the one to which it has sent.
/// It asks the new owner for its age by a run that every owner refuses: one tombstone under the
/// former lineage, whose sequence and predecessor no message has. The refusal repeats the sequence,
/// so it cannot be taken for that of an earlier copy of a message, however late that comes.
struct Succession {
  static constexpr std::uint64_t kFirstQuestion = std::uint64_t{1} << 63;  // above all messages

  std::uint64_t question = 0;  // the sequence of the one that is under way; 0: none
  Time asked_at{};             // when it was drawn: it has left later, perhaps more than once
  bool want_question = false;  // to be written
  std::uint8_t answers = 0;    // that have left it open whether the messages are older
  /// By the clock of this process, and not too early: the new life had begun by then.
  std::optional<Time> begun_by{};
};

struct OriginStream {
  using Hook = boost::intrusive::list_member_hook<>;
  /// Values that no size and no sequence has.
  static constexpr std::size_t kNoLimit = ~std::size_t{0};
  static constexpr std::uint64_t kNoSequence = ~std::uint64_t{0};

  struct Item {
    std::uint64_t seq;
    Token token;
    std::uint32_t encoded;  // bytes in OriginStream::encoded, header included
    std::uint32_t sender;   // see Marks
    ExpiryStamp expires;
    IssueStamp issued;
    std::uint32_t shared : 31;    // a SharedBodies::Place; 0: the body is in OriginStream::encoded
    std::uint32_t tombstone : 1;  // expired or withdrawn: its body is not sent any more
    bool issued_by(IssueStamp time) const { return static_cast<std::int32_t>(time - issued) >= 0; }
  };

  ChannelId channel;
  Lane lane = Lane::call;
  Lineage lineage{};  // 0: unknown
  /// A later lineage of which is known only that it exists: the owner of `lineage` has ended, and
  /// what was sent to it waits for the new owner to say since when it has been there. 0: none.
  Lineage successor{};
  Succession succession{};
  std::string open_name{};  // empty: no `open` is needed
  bool durable = false;
  bool opened = false;  // `open` was sent in this session

  Fifo<Item> items{};         // by seq
  Fifo<std::byte> encoded{};  // their wire form, in the same order
  std::size_t buried = 0;     // bytes of it that are bodies of tombstones
  std::uint64_t prev = 0;     // of items[0]
  std::size_t cursor = 0;     // the next item to transmit
  std::size_t cursor_bytes = 0;
  std::size_t sent = 0;         // items before this index were transmitted at least once
  std::uint64_t charge = 0;     // bytes on the window of the channel
  ExpiryStamp next_expiry = 0;  // not later than that of any item

  std::size_t most_in_flight = kNoLimit;  // bytes transmitted and not released; see slow_down
  bool choked = false;
  bool want_probe = false;
  bool room_awaited = false;                // see Origin::await_room
  Time answered{};                          // the latest reply, or when the stream became busy
  Time touched{};                           // the same, or the latest probe
  Time pause{};                             // back-off of probes, or of the choke
  Time probe_at{};                          // while choked
  std::uint64_t resent_last = kNoSequence;  // `last` of the gap for which was resent
  Time resent_at{};
  Time round_trip{};
  std::uint64_t timed_seq = 0;  // a message whose round trip is being measured
  Time timed_at{};
  Hook ready_hook{}, busy_hook{}, idle_hook{};

  /// The owner is the one of `lineage`, as far as is known: nothing is transmitted under a lineage
  /// that has ended, nor while a question is to show whether it has.
  bool knows_owner() const { return lineage && !successor && succession.question == 0; }
  bool sendable() const {
    return knows_owner() && !choked && cursor < items.size() && cursor_bytes < most_in_flight;
  }
  /// The owner of `lineage` has answered. If that was long ago, another question follows.
  void owner_is_there() {
    if (!successor) succession = {};
  }
  /// The owner is to be asked for its age now, or whether there is one.
  bool asks() const { return succession.want_question && !choked; }
  /// At least half of the window is free, so that a sender that was refused can send several.
  bool has_room() const {
    if (durable && items.size() > kDurableWindow / 2) return false;
    return charge <= kChannelWindow / 2;
  }
  /// Whether messages for a lineage that has ended may be meant for the next one: not if the
  /// channel is a process, which is one life, nor if it is a disk.
  bool may_follow() const { return !durable && channel.high != kProcessTag; }
  /// A later lineage is there, while messages are under way to the present one.
  void note_successor(Lineage later);
  /// Goes on with a later lineage, for which every message is one that was never sent.
  void begin_lineage(Lineage later);
  /// How long the owner may be silent before a probe.
  Time longest_silence() const;
  /// Forgets what was known of the owner's pace: no message is unacknowledged.
  void reset_pace();
  void owner_answered(Time now);
  void sample_round_trip(std::uint64_t last, Time now);
  /// A queue on the way was full. To send all that is unacknowledged again at once would only fill
  /// it again: so half of the bytes in flight may be sent, and an eighth more per round trip.
  void slow_down();
  void speed_up(std::size_t released);
};

}  // namespace starbus::bus
