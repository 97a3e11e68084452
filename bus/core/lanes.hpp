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
/// bytes (a record that does not fit is refused; the caller answers NACK overflow) and by age. Used
/// by the router's thread.
class SourceQueues final : public LaneSource {
 public:
  using Source = std::uint64_t;
  /// Called with each whole record, header included, that is dropped.
  using Dropped = std::function<void(ByteView record)>;

  SourceQueues() = default;
  ~SourceQueues() { clear(); }
  SourceQueues(const SourceQueues&) = delete;
  SourceQueues& operator=(const SourceQueues&) = delete;
  /// From now on the data lanes also count into a sum over several links, which is bounded too
  /// (kQueuesTotal): one message may have a copy for each of many silent receivers.
  void count_into(std::size_t& total) { total_ = &total; }
  /// Restores the initial state. Requires an empty queue.
  void count_alone() { total_ = nullptr; }

  /// False if the lane is full; nothing was queued then. The record is copied.
  [[nodiscard]] bool push(Lane lane, Source source, ByteView record, Time now);
  /// The same for a record without its header, as a session hands it over.
  [[nodiscard]] bool push(Lane lane, Source source, Kind kind, ByteView payload, Time now);
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
  /// Records of one source, each after a 32-bit time stamp in milliseconds (it wraps; ages are
  /// differences).
  struct Queue {
    Fifo<std::byte> bytes;
    std::int64_t credit = 0;  // bytes left in its turn; below 0 after a large record
    bool active = false;
  };
  struct LaneQueues {
    std::unordered_map<Source, std::unique_ptr<Queue>> sources;
    std::deque<std::pair<Source, Queue*>> turn;  // sources that hold something, in order of turn
    std::size_t bytes = 0;                       // records, without time stamps
  };
  /// The queue of `source`, with the time stamp of a record of `size` bytes in it; the record must
  /// follow. Null if the lane is full.
  Queue* admit(Lane lane, Source source, std::size_t size, Time now);
  /// The source whose turn it is and that may send; the lane must not be empty.
  static std::pair<Source, Queue*> next_in_turn(LaneQueues& queues);
  static void retire(LaneQueues& queues, Source source, Queue* queue);
  void account(Lane lane, LaneQueues& queues, std::ptrdiff_t bytes);
  static std::size_t index(Lane lane) { return static_cast<std::size_t>(lane); }
  static std::size_t capacity(Lane lane) {
    return lane == Lane::control ? kControlQueue : kDaemonQueue;
  }

  std::array<LaneQueues, kLanes> lanes_;
  std::size_t* total_ = nullptr;
};

}  // namespace starbus::bus
