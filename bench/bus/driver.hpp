// Runs one case on one peer once: starts the cluster and the loads, lets them go together, reads
// their results and the CPU time of every process, and ends them all.
#pragma once

#include <string>

#include "bench/bus/cases.hpp"
#include "bench/bus/peer.hpp"
#include "bench/harness/figures.hpp"

namespace starbus::bench {

struct RunOptions {
  double seconds = 2;
  bool short_stops = false;  // stop a receiver for a tenth of the case's time
  std::uint64_t window = 0;  // 0 takes the peer's own
  bool keep_directory = false;
};

// "rate" in messages/s, latencies "p50", "p99", ... in microseconds, "cpu" in CPU seconds per
// million messages (deliveries for a fan-out, round trips for requests).
Result<Metrics> run_case(const Case& which, Peer& peer, const RunOptions& options);

}  // namespace starbus::bench
