// Waits until messages pass between all leaf servers of a NATS star.
//
// nats-server 2.9 (Debian's) may forget a subscription that is made in the moment in which its leaf
// introduces itself to the hub (mended upstream in 2023: nats-server pull request 4464). The log
// says "connection created" before that is done, so only messages that arrive prove that it is.
#pragma once

#include <vector>

#include "bench/harness/result.hpp"

namespace starbus::bench {

// client_ports: where the leaves listen for clients, one for each host. One host needs no hub.
// Fails when a leaf cannot be reached, or has passed nothing on, for 10 s.
Result<void> wait_for_nats_leaves(const std::vector<int>& client_ports);

}  // namespace starbus::bench
