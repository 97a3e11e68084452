/// Which record leaves next: lanes by weight, and within a lane sources in turn, by bytes.
///
/// A session fills its bundles from a `LaneSource`: a process from its streams (origin.hpp), a
/// daemon from `SourceQueues`, which holds copies of records per lane and per source (the link they
/// came from), so that a noisy source cannot starve its neighbours.
#pragma once

#include <array>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <unordered_map>

#include "bus/core/bytes.hpp"
#include "bus/core/fifo.hpp"
#include "bus/core/limits.hpp"
#include "bus/core/wire/ids.hpp"

namespace starbus::bus {

/// Monotonic boot-clock time, handed in by the shell (or by a simulator): core code has no clock.
using Time = std::chrono::nanoseconds;
inline constexpr Time from_ms(std::uint64_t ms) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(ms));
}

/// The result of one call of `fill_bundle`.
struct FillResult {
  std::size_t bytes = 0;  // appended; 0: nothing was ready
  bool large = false;     // exactly one record, larger than kChunk
};

enum class Kind : std::uint8_t;

class Accounts;
/// Index of an account (routers/accounts.hpp); 0: the daemon itself.
using AccountId = std::uint32_t;

class LaneSource {
 public:
  /// Whether a record of this lane can leave now.
  virtual bool ready(Lane lane) const = 0;
  /// Appends whole records (header included) to `out` until about `budget` bytes are reached: at
  /// least one if any is ready. A record larger than kChunk comes alone.
  virtual FillResult fill_bundle(Lane lane, std::size_t budget, Bytes& out) = 0;

 protected:
  ~LaneSource() = default;
};

/// Copies of records on their way through a daemon, for one outgoing link. Bounded per lane by
/// bytes, of which each account has its share (a record beyond it is refused; the caller answers
/// NACK overflow), and by age. Used by the router's thread.
class SourceQueues final : public LaneSource {
 public:
  /// The link that a record came from, and the account that answers for it.
  struct Source {
    std::uint64_t link = 0;
    AccountId account = 0;
    Source(std::uint64_t from, AccountId whose = 0) : link(from), account(whose) {}
  };
  /// Called with each whole record, header included, that is dropped.
  using Dropped = std::function<void(ByteView record)>;

  SourceQueues() = default;
  ~SourceQueues() { clear(); }
  SourceQueues(const SourceQueues&) = delete;
  SourceQueues& operator=(const SourceQueues&) = delete;
  /// From now on the data lanes also count into sums over several links, per account, which are
  /// bounded too: one message may have a copy for each of many silent receivers. A link that holds
  /// little always has room (kLinkReserve).
  void count_into(Accounts& accounts) { accounts_ = &accounts; }
  /// Restores the initial state. Requires an empty queue.
  void count_alone() { accounts_ = nullptr; }

  /// False if the lane is full; nothing was queued then. The record is copied.
  [[nodiscard]] bool push(Lane lane, Source source, ByteView record, Time now);
  /// The same for a record without its header, as a session hands it over.
  [[nodiscard]] bool push(Lane lane, Source source, Kind kind, ByteView payload, Time now);
  /// An ACK, POSTED or NACK, which may be lost: false if replies hold kReplyRoom of the control
  /// lane, or more than the share of the source's account.
  [[nodiscard]] bool push_reply(Source source, ByteView record, Time now);
  /// Drops records of the data lanes that have waited longer than kQueueAge.
  void expire(Time now, const Dropped& dropped);
  /// Drops everything, all lanes. `dropped` may be null.
  void clear();

  bool ready(Lane lane) const override { return lanes_[index(lane)].bytes != 0; }
  FillResult fill_bundle(Lane lane, std::size_t budget, Bytes& out) override;

  std::size_t bytes(Lane lane) const { return lanes_[index(lane)].bytes; }
  /// Bytes of all lanes, headers included.
  std::size_t bytes() const;

 private:
  /// What one account holds in a lane.
  struct Share {
    std::size_t bytes = 0;
    std::size_t sources = 0;  // that point here
  };
  /// Records of one source, each after a 32-bit time stamp in milliseconds (it wraps; ages are
  /// differences).
  struct Queue {
    Fifo<std::byte> bytes;
    std::int64_t credit = 0;  // bytes left in its turn; below 0 after a large record
    bool active = false;
    bool replies = false;
    AccountId account = 0;
    Share* share = nullptr;
  };
  struct LaneQueues {
    std::unordered_map<std::uint64_t, std::unique_ptr<Queue>> sources;
    std::unordered_map<AccountId, Share> shares;
    std::deque<std::pair<std::uint64_t, Queue*>> turn;  // sources that hold something, in turn
    std::size_t bytes = 0;                              // records, without time stamps
    std::size_t reply_bytes = 0;                        // of those, replies in the control lane
  };
  /// The queue of `source`, with the time stamp of a record of `size` bytes in it; the record must
  /// follow. Null if the lane is full.
  Queue* admit(Lane lane, Source source, std::size_t size, Time now);
  bool has_room(Lane lane, const LaneQueues& queues, Source source, std::size_t held,
                std::size_t size) const;
  static Queue* find(const LaneQueues& queues, std::uint64_t source);
  static Queue& add(LaneQueues& queues, Source source, bool replies);
  void stamp(Lane lane, LaneQueues& queues, Source source, Queue& queue, std::size_t size,
             Time now);
  static std::size_t bytes_of(const Queue& queue);
  /// What the account holds in the lane; `known` is the queue of the source if it has one.
  static std::size_t held_by(const LaneQueues& queues, const Queue* known, AccountId account);
  /// The source whose turn it is and that may send; the lane must not be empty.
  static std::pair<std::uint64_t, Queue*> next_in_turn(LaneQueues& queues);
  static void retire(LaneQueues& queues, std::uint64_t source, Queue* queue);
  void account(Lane lane, LaneQueues& queues, Queue& queue, std::ptrdiff_t bytes);
  static std::size_t index(Lane lane) { return static_cast<std::size_t>(lane); }

  std::array<LaneQueues, kLanes> lanes_;
  Accounts* accounts_ = nullptr;
};

}  // namespace starbus::bus
