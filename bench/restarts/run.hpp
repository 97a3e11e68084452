// One case on one peer, once: a cluster of its own, steady streams through it, and a daemon that is
// replaced again and again beneath them.
#pragma once

#include "bench/bus/peer.hpp"
#include "bench/harness/figures.hpp"
#include "bench/restarts/case.hpp"
#include "bench/restarts/options.hpp"

namespace starbus::bench::restarts {

// An event is one replacement and the time until the next; its silence the longest of any stream
// that the daemon concerns. "silence.p50", "silence.p90", "silence.p99" and "silence.max" over the
// events, in milliseconds; "lost": messages that never came, per event. Fails if a peer that
// promises exactness is not exact. The same seed gives the same jitter.
Result<Metrics> run_case(const Case& which, Peer& peer, const Options& options, unsigned seed);

}  // namespace starbus::bench::restarts
