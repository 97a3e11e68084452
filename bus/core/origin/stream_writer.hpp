/// Writes what an Origin has to transmit into bundles: multicasts, probes and runs of messages,
/// streams in turn. Copies messages as they lie in their streams. Refers to streams and custody,
/// which outlive it; one thread.
#pragma once

#include "bus/core/origin/custody.hpp"

namespace starbus::bus {

class StreamWriter {
 public:
  StreamWriter(StreamTable& streams, Custody& custody) : streams_(streams), custody_(custody) {}

  void set_now(Time now) { now_ = now; }
  /// Queues a record before all streams of the lane.
  void add_multicast(const Multicast& multicast);
  /// The session has ended: its multicasts are sent again as runs.
  void drop_multicasts();

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

  Fifo<std::byte>& multicasts(Lane lane) { return multicasts_[static_cast<std::size_t>(lane)]; }
  static void write_open(OriginStream& stream, Bytes& out);
  void write_probe(OriginStream& stream, Bytes& out);
  std::size_t write_run(OriginStream& stream, std::size_t budget, bool alone, Bytes& out);
  static RunSize measure_run(const OriginStream& stream, std::size_t limit);
  void write_items(const OriginStream& stream, const RunSize& run, Bytes& out) const;
  void advance(OriginStream& stream, const RunSize& run);

  StreamTable& streams_;
  Custody& custody_;
  Time now_{};
  std::array<Fifo<std::byte>, kLanes> multicasts_;
};

}  // namespace starbus::bus
