// The load roles: what runs in the processes around a bus. The same code for every peer.
//
//   sender     as fast as the receivers allow, or at a fixed rate; to one process or to everyone
//   receiver   counts, checks order, times each message from its intended send time
//   requester  closed loop: one request, wait for the reply, again
//   responder  answers requests
//
// A role talks to the driver by lines: it prints "ready", waits for "go", prints one line of JSON,
// and stays until its input closes. Senders measure nothing before every receiver has answered a
// greeting, so routes are known and warm.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bench/bus/peer.hpp"

namespace starbus::bench {

// Latencies of the first tenth of a run are not recorded: caches and routes warm up.
constexpr double kWarmUp = 0.1;

struct LoadOptions {
  std::string role;
  std::string directory;
  Address self;
  std::vector<Address> partners;  // a sender's receivers, a receiver's sender
  bool to_everyone = false;       // publish instead of sending to the one partner
  std::size_t bytes = 64;
  double rate = 0;  // messages per second; 0 sends as fast as possible
  double seconds = 2;
  std::uint64_t window = 0;  // messages ahead of the slowest receiver; 0 for no limit
  bool low_latency = false;
};

// A load process is one of these (role.hpp).
class Role;
using RoleFactory = std::unique_ptr<Role> (*)(const LoadOptions& options);

// The roles above; nullptr for any other.
std::unique_ptr<Role> make_role(const LoadOptions& options);

// Runs a role to its end; the process' exit code.
int run_load(Peer& peer, const LoadOptions& options, RoleFactory make);

}  // namespace starbus::bench
