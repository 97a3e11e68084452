// MqttLoad: many MQTT clients in one process, for a broker that is measured beside the gate. On a
// line of standard input it does one thing, and prints one line of JSON:
//
//   echo SECONDS RATE  every client publishes to a topic of its own, which it hears, RATE times a
//                      second, in an open loop: {"sent", "received", "seconds", "p50", "p99"} (ns)
//   fanout TIMES       one more client publishes to a topic that all hear, TIMES times, the next
//                      when all have the one before: {"p50", "max"} of the time until the last, ns
//   (end of input)     ends
//
// With answered topics a client publishes to q/N, and a responder, which is another process, to
// a/N: what a game is behind a gate.
#pragma once

#include <cstddef>

namespace starbus::bench::gate {

struct MqttOptions {
  int port = 0;
  std::size_t clients = 0;
  std::size_t bytes = 64;  // of a body: at least kStampBytes
  bool tls = false;
  bool answered = false;  // by a responder
};

// Prints "ready" when all are connected. The exit code.
int run_mqtt_load(const MqttOptions& options);
// Answers each message to q/N with one to a/N until its input ends.
int run_mqtt_responder(int port);

}  // namespace starbus::bench::gate
