// The processes of the benchmark of nodes: one that answers, by the bus' own request and reply and
// by RPC, and one that asks. Each speaks to the driver by its standard input and output.
#pragma once

#include <string>

namespace starbus::bench {

struct NodeRole {
  std::string endpoint;
  std::string node;
  double seconds = 2;  // of each way of asking
};

// Prints "ready"; at a line on standard input prints {"handled": one-way calls, "noted": messages}
// and ends.
int run_answerer(const NodeRole& role);
// Asks both ways in turns, one at a time; then sends messages of the bus, and then one-way calls,
// as fast as the windows allow, until all are handled. Prints {"bus": [us...], "rpc": [us...],
// "sent": n, "per_second": n, "plain_sent": n, "plain_per_second": n}.
int run_asker(const NodeRole& role);

}  // namespace starbus::bench
