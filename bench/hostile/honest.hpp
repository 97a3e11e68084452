// The honest processes of the benchmark: each owns names, watches those of all, and calls the next
// one at a steady rate. Its standard input says when a figure is wanted:
//
//   mark   prints {"us": [...], "failed": n}: how long each call took that ended since the last
//   mark,
//          counted from when it was due, and how many had no reply
//   end    calls each name of the next process once; prints {"lost_names": n, "lost_sessions": n}
#pragma once

#include <string>

namespace starbus::bench::hostile {

struct HonestOptions {
  std::string endpoint;
  int index = 0;
  int of = 8;       // processes
  int names = 50;   // of each
  double rate = 0;  // calls per second
};

constexpr const char* kPrefix = "honest/";

// Prints "ready" when the names of all are there. The exit code.
int run_honest(const HonestOptions& options);

}  // namespace starbus::bench::hostile
