// The measured cases: their names, shapes, and what is read from each.
#pragma once

#include <string>
#include <vector>

namespace starbus::bench {

enum class Shape {
  kThroughput,  // `senders` pairs, each sender as fast as its receiver
  kFanOut,      // one publisher, `subscribers` subscriptions in one process per host
  kRequest,     // closed loop: round-trip time
  kOpenLoop,    // fixed rate: one-way time from the intended send time
  kAnnounce,    // kFanOut at a fixed rate, with a third process whose subscriptions may be stopped
};

struct Case {
  std::string name;
  Shape shape = Shape::kThroughput;
  bool across = true;  // process-daemon-root-daemon-process, else process-daemon-process
  std::size_t bytes = 64;
  int senders = 1;
  int subscribers = 0;
  int stopped_subscribers = 0;  // of them, in the process that is stopped; kAnnounce
  double rate = 0;
  bool tls = false;
  // Seconds that the last receiver is stopped (SIGSTOP); its own stream is not measured, and the
  // run is a fifth longer. With `disturbed` false it runs on: the baseline.
  double stop_seconds = 0;
  bool disturbed = false;
  std::string baseline{};  // the case whose p99 this one's is divided by
  std::string about{};
};

const std::vector<Case>& all_cases();

}  // namespace starbus::bench
