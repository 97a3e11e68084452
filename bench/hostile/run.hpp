// One run: a cluster of its own, honest processes on both of its hosts, and a hostile program on
// one.
#pragma once

#include "bench/harness/figures.hpp"
#include "bench/harness/result.hpp"

namespace starbus::bench::hostile {

struct Options {
  double rate = 200;  // calls per second of each honest process
  int sessions = 4096;
  double seconds = 60;
  int pace_ms = 0;  // between two acts of a hostile session; 0: as fast as busd takes them
};

// "before", "opening", "during" and "after" with ".p50", ".p99" and ".max": calls of the honest, in
// microseconds. "busd.before", "busd.during", "busd.after": its memory in megabytes. "sessions" at
// that busd. "lost_sessions", "lost_names" and "failed" calls of the honest. "named": 1 if
// `bustop doctor` named the program by its pid.
Result<Metrics> run(const Options& options);

}  // namespace starbus::bench::hostile
