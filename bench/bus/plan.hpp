// Plan: one cluster of one measured case: who lives where. The driver writes it into the case's
// directory; every process of the case (loads, relays) reads it from there.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "bench/harness/result.hpp"

namespace starbus::bench {

// A load process: the host it lives on and its number there.
struct Address {
  std::uint16_t host = 0;
  std::uint16_t slot = 0;
  friend bool operator==(const Address&, const Address&) = default;
};

// Every subscription in the cluster: what a publisher sends to.
constexpr Address kEveryone{0xffff, 0xffff};

struct PlannedProcess {
  Address address;
  int subscriptions = 0;  // how many copies of a publication this process receives
  bool stops = false;     // it will be stopped: publications may leave it out
};

struct Plan {
  std::string directory;
  int hosts = 2;
  bool tls = false;  // encrypt what goes between hosts
  std::vector<PlannedProcess> processes;
  std::map<std::string, int> ports;  // filled in by Peer::start_cluster

  std::vector<PlannedProcess> on_host(int host) const;
  const PlannedProcess* find(Address address) const;
  // Whether a process will be stopped and left out.
  bool leaves_out() const;

  Result<void> save() const;
  static Result<Plan> load(const std::string& directory);
};

// A TCP port on 127.0.0.1 that was free a moment ago.
int free_port();

// Waits until something accepts connections on a port of 127.0.0.1; fails after 10 seconds.
Result<void> wait_for_port(int port);

}  // namespace starbus::bench
