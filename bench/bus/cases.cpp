#include "bench/bus/cases.hpp"

namespace starbus::bench {
namespace {

std::vector<Case> make_cases() {
  std::vector<Case> cases;
  for (const bool across : {false, true}) {
    const std::string where = across ? ".across" : ".same";
    for (const std::size_t bytes : {64UL, 256UL, 1024UL, 16384UL}) {
      cases.push_back({.name = "thr." + std::to_string(bytes) + where,
                       .across = across,
                       .bytes = bytes,
                       .about = "one sender to one receiver, messages/s"});
    }
  }
  cases.push_back(
      {.name = "thr.64.across.tls", .tls = true, .about = "the same, encrypted between hosts"});
  cases.push_back({.name = "thr.8x8.64.across",
                   .senders = 8,
                   .about = "8 senders to 8 receivers, messages/s together"});
  cases.push_back({.name = "fanout.64",
                   .shape = Shape::kFanOut,
                   .subscribers = 64,
                   .about = "one publisher, 32 + 32 subscriptions on 2 hosts (one process per "
                            "host), deliveries/s"});
  for (const bool stopped : {false, true}) {
    cases.push_back({.name = stopped ? "announce.stopped" : "announce.steady",
                     .shape = Shape::kAnnounce,
                     .bytes = 1024,
                     .subscribers = 64,
                     .stopped_subscribers = 4,
                     .rate = 500,
                     .stop_seconds = 10,
                     .disturbed = stopped,
                     .baseline = stopped ? "announce.steady" : "",
                     .about = stopped ? "the same while 4 of the subscriptions are stopped for 10 s"
                                      : "one publisher at a fixed rate, 60 of 64 subscriptions on "
                                        "2 hosts, one way in microseconds"});
  }
  for (const bool across : {false, true}) {
    const std::string where = across ? ".across" : ".same";
    cases.push_back({.name = "rr" + where,
                     .shape = Shape::kRequest,
                     .across = across,
                     .about = "request and reply, closed loop, round trip in microseconds"});
    for (const int thousands : {10, 100}) {
      cases.push_back({.name = "open." + std::to_string(thousands) + "k" + where,
                       .shape = Shape::kOpenLoop,
                       .across = across,
                       .rate = thousands * 1000.0,
                       .about = "fixed rate, one way in microseconds from the intended time"});
    }
    for (const bool stopped : {false, true}) {
      cases.push_back({.name = (stopped ? "stopped" : "steady") + where,
                       .shape = Shape::kOpenLoop,
                       .across = across,
                       .senders = 5,
                       .rate = 2000,
                       .stop_seconds = 10,
                       .disturbed = stopped,
                       .baseline = stopped ? "steady" + where : "",
                       .about = stopped ? "the same while the fifth receiver is stopped for 10 s"
                                        : "4 of 5 pairs at a fixed rate, one way in microseconds"});
    }
  }
  return cases;
}

}  // namespace

const std::vector<Case>& all_cases() {
  static const std::vector<Case> cases = make_cases();
  return cases;
}

}  // namespace starbus::bench
