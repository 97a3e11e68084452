/// The custody of an Origin: every message from `add` until it is released or fails, which is
/// reported once. Numbers the messages, charges their bytes to the windows, and counts.
///
/// Outcomes are collected and reported by `report`, when all state is in order: OriginEvents may
/// call anything. Refers to the streams, which outlive it; one thread.
#pragma once

#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <vector>

#include "bus/core/origin/stream_table.hpp"
#include "bus/core/wire/record_mail.hpp"

namespace starbus::bus {

struct Marks;

struct OriginCounters {
  std::uint64_t sent = 0;  // messages taken into custody
  std::uint64_t acknowledged = 0, failed = 0, expired = 0;
  std::uint64_t transmitted = 0;  // messages put on the link, resends included
  std::uint64_t probes = 0, resends = 0, chokes = 0;
  std::uint64_t compacted = 0;  // messages visited to give back the memory of withdrawn ones
};

class Custody {
 public:
  Custody(StreamTable& streams, OriginEvents& events) : streams_(streams), events_(events) {}

  void set_now(Time now) { now_ = now; }
  /// Appends the message head+body, or the shared body, to the stream; returns its sequence.
  std::uint64_t add(OriginStream& stream, ByteView head, ByteView body, Token token, Time expires,
                    SharedBodies::Place shared, const Marks& marks);
  /// Releases, as handled, every message up to `last`.
  void release(OriginStream& stream, std::uint64_t last);
  /// Releases messages from the front as far as they have a result. The result of a message may
  /// have been in a record that is lost: a probe asks for it. If the owner has forgotten the
  /// result, the outcome is unknown.
  void release_posted(OriginStream& stream, const Posted& posted);
  /// Fails the first `count` messages. `sent`: the outcome is unknown.
  void fail_front(OriginStream& stream, std::size_t count, Errc reason, bool sent);
  /// Fails the messages whose time to live has passed.
  void expire(OriginStream& stream);
  /// Drops the body of one message, without an event. Costs a search, and at times a pass over the
  /// stream: some visits per message on average.
  void withdraw(OriginStream& stream, std::uint64_t seq);

  /// Reports the outcomes that were collected, then on_room if a window has shrunk.
  void report();

  /// Bytes on the window of the process.
  std::uint64_t bytes() const { return bytes_ + shared.total(); }
  /// Nothing of this sender is unacknowledged.
  bool drained(std::uint32_t sender) const { return !outstanding_.contains(sender); }
  /// The next sequence of each lane.
  const std::array<std::uint64_t, kLanes>& next_seq() const { return next_seq_; }

  SharedBodies shared{};
  OriginCounters counters{};

 private:
  struct Outcome {
    Token token;
    ChannelId channel;
    Lane lane;
    std::uint64_t seq;
    Errc reason;  // ok: acknowledged
    bool sent;
    bool posted = false;  // with `number`, or refused with `reason`
    std::uint64_t number = 0;
  };

  void encode_item(OriginStream& stream, std::size_t size, std::uint64_t step, bool system);
  std::uint32_t charge_of(const OriginStream::Item& item) const;
  void pop_front(OriginStream& stream, std::size_t count);
  static std::uint32_t own_bytes(const OriginStream::Item& item);
  void bury(OriginStream& stream, OriginStream::Item& item);
  void compact(OriginStream& stream);

  StreamTable& streams_;
  OriginEvents& events_;
  Time now_{};
  std::array<std::uint64_t, kLanes> next_seq_{1, 1, 1, 1};
  boost::unordered_flat_map<std::uint32_t, std::uint32_t> outstanding_;  // messages per sender
  std::uint64_t bytes_ = 0;  // of all items, shared bodies not counted
  bool freed_ = false;       // a window has shrunk since the last report
  std::vector<Outcome> outcomes_;
};

}  // namespace starbus::bus
