/// The receiving side of a process: its channels, and for each stream that reaches them the last
/// sequence that was handled. This table makes delivery exactly once and in order, for every route
/// and however often a message is sent again:
///   - another lineage than the channel's: NACK lineage, which says for how long this one has been
///     here; not active, or frozen: no answer at all. A frozen channel that goes on asks for what
///     came meanwhile, by NACK gap;
///   - seq <= last: a duplicate, ACK last;  prev <= last: hand it to its handler, last = seq, ACK;
///   - otherwise, or PROBE above last: NACK gap(last).
/// An ACK is sent after the handler has returned (or first suspended); ACKs of one batch are
/// merged. Sans-IO, one thread. The handler may bind, unbind and send.
#pragma once

#include <boost/container/flat_map.hpp>
#include <boost/container/vector.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "bus/core/lanes.hpp"
#include "bus/core/wire/data.hpp"
#include "bus/core/wire/record_moves.hpp"
#include "bus/core/wire/record_replies.hpp"

namespace starbus::bus {

/// An accepted message. The body is valid during the handler's call only.
struct Delivery {
  ChannelId channel;
  Process origin;
  Lane lane = Lane::call;
  std::uint64_t seq = 0;
  ByteView body;
  bool system = false;  // for the library, not for a handler of the program
};

struct OwnerCounters {
  std::uint64_t from_the_dead = 0;  // dropped: see Owner::bury
  std::uint64_t handled = 0, duplicates = 0, gaps = 0, foreign_lineage = 0, tombstones = 0;
  std::uint64_t withdrawn = 0;  // arrived after their sender had given them up: not handled
};

class Owner {
 public:
  /// `cookie` was given to `activate`.
  using Handler = std::function<void(std::uint64_t cookie, const Delivery&)>;
  /// An encoded ACK or NACK, for the control lane.
  using Reply = std::function<void(ByteView record)>;

  Owner(Handler handler, Reply reply) : handler_(std::move(handler)), reply_(std::move(reply)) {}

  /// The name was granted: accepts from now on. `filter` came with a move.
  void activate(const ChannelId& channel, Epoch epoch, Lineage lineage, std::uint64_t cookie,
                std::span<const FilterRow> filter = {});
  /// Whether refusals say for how long the lineage has been here, in milliseconds, at least 1:
  /// since 1.2. 0 stands for "not said".
  void tell_age(bool tells) { tells_age_ = tells; }
  /// Neither accepts nor answers from now on; handled messages are still acknowledged. Returns the
  /// filter, of which a copy stays until `resume` or `deactivate`. The channel must be active.
  std::vector<FilterRow> freeze(const ChannelId& channel);
  /// A frozen channel stays here, frozen until `go_on`. Under another lineage its filter is void.
  void resume(const ChannelId& channel, Epoch epoch, Lineage lineage);
  /// Accepts again, after `resume`. Streams of which something came meanwhile are refused as gap,
  /// so that they send it again at once.
  void go_on(const ChannelId& channel);
  /// Neither accepts nor answers any more; forgets the filter.
  void deactivate(const ChannelId& channel);
  bool active(const ChannelId& channel) const;
  /// Lineage of an active channel; 0 if it is not active.
  Lineage lineage(const ChannelId& channel) const;

  /// `last` and all its earlier incarnations have ended: none of their messages is handed over any
  /// more, however late it comes. Remembered for kFilterEntryLife, at most kMaxDeaths of them.
  void bury(const Process& last);
  /// This incarnation lives after all: only its predecessors are dead.
  void revive(const Process& living);

  void on_run(const Run& run);
  void on_probe(const Probe& probe);
  void on_multicast(const Multicast& multicast);
  /// The message is handed to no handler, if it is still to come; it counts as handled. At most
  /// kMaxWithdrawn are remembered, for kFilterEntryLife.
  void on_withdraw(const Withdraw& withdraw);
  /// Sends the ACKs of the messages that were handled since the last call.
  void flush_acks();

  void set_now(Time now) { now_ = now; }
  /// Forgets filter entries unused for kFilterEntryLife; looks at a few channels per call.
  void sweep();
  std::size_t filter_entries() const;
  /// Their memory in bytes, spare capacity included.
  std::size_t filter_bytes() const;
  const OwnerCounters& counters() const { return counters_; }

 private:
  struct Source {
    Process origin;
    Lane lane;
    friend auto operator<=>(const Source&, const Source&) = default;
  };
  struct Entry {
    std::uint64_t last = 0;
    std::uint32_t used = 0;  // seconds
    bool ack_due = false;    // listed in acks_
    bool came = false;       // something of it, while the channel was frozen
  };
  /// Sorted, without gaps, growing by 60 %: at most 64 bytes an entry however many there are, and
  /// one allocation per channel. Few channels hear from more than some hundred processes.
  using Filter = boost::container::flat_map<
      Source, Entry, std::less<Source>,
      boost::container::vector<std::pair<Source, Entry>, void,
                               boost::container::vector_options_t<boost::container::growth_factor<
                                   boost::container::growth_factor_60>>>>;
  static_assert(sizeof(Filter::value_type) <= 40);
  struct Channel {
    ChannelId id;
    Epoch epoch;
    Lineage lineage;
    Time since{};  // when it became active here under this lineage
    std::uint64_t cookie = 0;
    bool active = true;
    Filter filter;
  };
  using ChannelPtr = std::shared_ptr<Channel>;  // a handler may unbind the channel that it serves

  void accept(const ChannelPtr& channel, const Run& run);
  void acknowledge(const ChannelPtr& channel, const Source& source, Entry& entry);
  void refuse(const Probe& about, NackReason reason, Lineage lineage, std::uint64_t last);
  Entry& entry(Channel& channel, const Process& origin, Lane lane);
  void forget_earlier_lives(Channel& channel, const Process& origin);
  std::uint32_t seconds() const {
    return static_cast<std::uint32_t>(now_ / std::chrono::seconds(1));
  }

  Handler handler_;
  Reply reply_;
  Time now_{};
  bool tells_age_ = false;
  boost::unordered_flat_map<ChannelId, ChannelPtr> channels_;
  struct Death {
    std::uint64_t incarnation = 0;
    std::uint32_t seen = 0;  // seconds
  };
  bool is_dead(const Process& origin) const;
  void note_death(const Process& last);
  boost::unordered_flat_map<ChannelId, Death> dead_;        // by process channel
  std::deque<std::pair<std::uint32_t, ChannelId>> deaths_;  // in order of time
  std::vector<ChannelId> to_sweep_;
  Time next_sweep_{};
  struct Withdrawn {
    ChannelId channel;
    Source source;
    std::uint64_t seq = 0;
    friend bool operator==(const Withdrawn&, const Withdrawn&) = default;
    friend std::size_t hash_value(const Withdrawn& message) {
      return hash_value(message.channel) ^ hash_value(message.source.origin.channel()) ^
             message.seq * 0x9e37'79b9'7f4a'7c15ULL;
    }
  };
  bool is_withdrawn(const Run& run, std::uint64_t seq);
  boost::unordered_flat_set<Withdrawn, boost::hash<Withdrawn>> withdrawn_;
  std::deque<std::pair<std::uint32_t, Withdrawn>> withdrawals_;  // in order of time
  struct DueAck {
    ChannelPtr channel;
    Source source;
  };
  std::vector<DueAck> acks_;
  Bytes scratch_;
  OwnerCounters counters_;
};

}  // namespace starbus::bus
