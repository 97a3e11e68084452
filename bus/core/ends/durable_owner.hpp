/// The receiving side of durable channels. As Owner, but a message counts as handled only when its
/// effect and the stream's new `last` are on a disk, written together.
///
///   accepted  handed over, in order and once
///   durable   on the disk; replies are about these alone (durable <= accepted)
///
/// A message above `durable` gets no answer until it is on the disk, though its successors may be
/// accepted. After a crash the channel is activated with the rows of the disk, under its old
/// lineage, and origins send again all messages without a result. Results travel inside the
/// acknowledgement (Posted). Sans-IO, one thread.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "bus/core/wire/data.hpp"
#include "bus/core/wire/record_mail.hpp"
#include "bus/core/wire/record_moves.hpp"

namespace starbus::bus {

/// One sender's messages to one channel in one lane.
struct StreamId {
  ChannelId channel;
  Process origin;
  Lane lane = Lane::call;
  friend auto operator<=>(const StreamId&, const StreamId&) = default;
};

class DurableEvents {
 public:
  /// Next in its stream. `body` is valid during the call. A tombstone has no body and no result,
  /// but its seq must become durable like any other.
  virtual void on_item(const StreamId&, std::uint64_t /*seq*/, ByteView /*body*/,
                       bool /*tombstone*/) {}
  /// The sender may have missed an answer: call DurableOwner::answer with all known results.
  virtual void on_repeat(const StreamId&) {}

 protected:
  ~DurableEvents() = default;
};

struct DurableCounters {
  std::uint64_t accepted = 0, duplicates = 0, gaps = 0, foreign_lineage = 0;
};

class DurableOwner {
 public:
  /// An encoded Posted or NACK, for the control lane.
  using Reply = std::function<void(ByteView record)>;

  DurableOwner(DurableEvents& events, Reply reply) : events_(events), reply_(std::move(reply)) {}

  /// The name was granted; `filter` are the rows on the disk.
  void activate(const ChannelId& channel, Lineage lineage, std::span<const FilterRow> filter);
  /// Neither accepts nor answers any more. Messages that were accepted and are not durable are
  /// forgotten: their origins keep them.
  void deactivate(const ChannelId& channel);
  bool active(const ChannelId& channel) const { return channels_.contains(channel); }

  void on_run(const Run& run);
  void on_probe(const Probe& probe);
  /// Calls on_repeat for streams with repeated messages. Call at the end of a batch.
  void flush();

  /// Everything up to `last` is on the disk; these are the results since the last call.
  void stored(const StreamId& stream, std::uint64_t last, std::span<const PostResult> results);
  /// Answers on_repeat, with all results that are kept.
  void answer(const StreamId& stream, std::span<const PostResult> kept);
  /// Messages that were accepted after `last` will not be written: they must come again, later.
  void refused(const StreamId& stream, std::uint64_t last);

  /// The sender was silent for so long that none of its messages can come again: forgets its place.
  void forget(const StreamId& stream);

  const DurableCounters& counters() const { return counters_; }

 private:
  struct Entry {
    std::uint64_t accepted = 0;
    std::uint64_t durable = 0;
    std::uint64_t gap = 0;  // a message after a gap, while earlier ones are being written
    bool repeat = false;
  };
  struct Source {
    Process origin;
    Lane lane;
    friend auto operator<=>(const Source&, const Source&) = default;
  };
  struct Channel {
    Lineage lineage;
    std::map<Source, Entry> streams;
  };

  Entry* find(const StreamId& stream);
  void repeat(const StreamId& stream, Entry& entry);
  void gap(const StreamId& stream, Lineage lineage, Entry& entry, std::uint64_t seq);
  void say(const StreamId& stream, const Entry& entry, std::span<const PostResult> results,
           bool complete);
  void nack(const StreamId& stream, std::uint64_t seq, NackReason reason, Lineage lineage,
            std::uint64_t last);

  DurableEvents& events_;
  Reply reply_;
  boost::unordered_flat_map<ChannelId, Channel> channels_;
  std::vector<StreamId> repeats_;
  Bytes scratch_;
  DurableCounters counters_;
};

}  // namespace starbus::bus
