// The runs: each is one case once, with processes of its own. Failures are values, or exceptions
// where a cluster does not start.
#pragma once

#include "bench/harness/figures.hpp"
#include "bench/harness/result.hpp"
#include "bench/travel/options.hpp"

namespace starbus::bench::travel {

// Players travel to and fro between two hosts. "trips"; "lost", "doubled", "disordered", "strange":
// of all numbers, at players and at clients; "unanswered": requests without a reply; "failed":
// travels that ended elsewhere; "fulls", "resumed": of sessions, beyond the first; "heard": numbers
// that have come to clients. ms: "freeze.*" beyond the period of the numbers, "quiet.*": the same
// between two travels; "trip.*": from the request to its end.
Result<Metrics> run_moves(const Options& options);
// A node with players drains. "seconds" until all are in spaces of the other node, "ended" until
// its process has; "disconnected", "fulls", "corrections", "violations", "replies_lost", "left"
// (players who have not moved).
Result<Metrics> run_drain(const Options& options);

}  // namespace starbus::bench::travel
