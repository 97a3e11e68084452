// BareEcho: the floor of a gate's latency. TCP bytes become calls of the same method of the same
// entities over the bus client, and answers become TCP bytes, without sessions, numbers or limits.
// And its load: clients of it, in an open loop.
#pragma once

#include <cstddef>
#include <string>

namespace starbus::bench::gate {

struct BareServer {
  std::string endpoint;  // of busd
  std::string subjects;  // "player/bot{n}.1": connection n calls that one, from 1 on
  std::string method;    // "class.method", of a text to a text
  int port = 0;
  std::size_t bytes = 64;  // of each message: kStampBytes to 127
};
// Prints "ready" when it listens; until its input ends. The exit code.
int run_bare_server(const BareServer& options);

struct BareLoad {
  int port = 0;
  std::size_t clients = 1;
  std::size_t bytes = 64;
  double rate = 10;  // of each client
  double seconds = 1;
};
// Prints "ready" when all are connected; on a line of standard input it runs, and prints {"sent",
// "received", "p50", "p99"} (ns). The exit code.
int run_bare_load(const BareLoad& options);

}  // namespace starbus::bench::gate
