/// Writes what an Origin has to transmit into bundles: multicasts, probes, questions and runs of
/// messages, streams in turn. Copies messages as they lie in their streams. Refers to streams and
/// custody, which outlive it; one thread.
///
/// A multicast waits as a list of targets: its body is in custody, and on the windows, as long as a
/// target needs it. A target whose message has ended, or which can take it no more in this record,
/// is left out, and its stream goes on from there with runs. There are at most twice as many
/// targets as unacknowledged messages, and kTargetSlack.
#pragma once

#include <deque>
#include <vector>

#include "bus/core/origin/custody.hpp"

namespace starbus::bus {

class StreamWriter {
 public:
  StreamWriter(StreamTable& streams, Custody& custody) : streams_(streams), custody_(custody) {}

  void set_now(Time now) { now_ = now; }
  /// Queues a record before all streams of the lane: at least one target, whose messages are the
  /// latest of their streams and share a body.
  void add_multicast(Lane lane, std::vector<Target> targets);
  /// The session has ended: its multicasts are sent again as runs.
  void drop_multicasts();
  /// Targets of the multicasts that wait.
  std::size_t waiting_targets() const { return targets_; }

  /// Whether anything of this lane can be transmitted now.
  bool ready(Lane lane) const;
  /// See LaneSource::fill_bundle.
  FillResult fill_bundle(Lane lane, std::size_t budget, Bytes& out);

 private:
  struct RunSize {
    std::size_t count = 0;    // messages
    std::size_t wire = 0;     // bytes on the wire
    std::size_t encoded = 0;  // bytes in the stream
  };

  using Targets = std::vector<Target>;
  static constexpr std::size_t kTargetSlack = 2 * kMaxGroup;

  std::deque<Targets>& multicasts(Lane lane) { return multicasts_[static_cast<std::size_t>(lane)]; }
  bool is_wanted(Lane lane, const Target& target);
  void drop_unwanted(Lane lane, Targets& targets);
  void sweep();
  void pop_multicast(Lane lane);
  Multicast next_multicast(Lane lane);
  void note_sent(const Multicast& record);
  static void write_open(OriginStream& stream, Bytes& out);
  void write_probe(OriginStream& stream, Bytes& out);
  void write_question(OriginStream& stream, Bytes& out);
  std::size_t write_run(OriginStream& stream, std::size_t budget, bool alone, Bytes& out);
  static RunSize measure_run(const OriginStream& stream, std::size_t limit);
  void write_items(const OriginStream& stream, const RunSize& run, Bytes& out) const;
  void advance(OriginStream& stream, const RunSize& run);

  StreamTable& streams_;
  Custody& custody_;
  Time now_{};
  std::array<std::deque<Targets>, kLanes> multicasts_;
  std::size_t targets_ = 0;  // of all multicasts
  std::size_t sweep_at_ = kTargetSlack;
};

}  // namespace starbus::bus
