/// One seed of a world of sessions on the real bus: random faults of clients, sessions, processes
/// and the bus, then peace. The same seed gives the same run, bit for bit.
#pragma once

#include <cstdint>
#include <cstdio>
#include <map>
#include <string>

namespace starbus::sim {

struct JoinedRunOptions {
  std::uint64_t seed = 1;
  bool deaths = true;  // of processes and leases; else nobody dies, and the bus fails all the same
  int steps = 1'000;
  std::string broken{};        // rules, "one+another"
  std::FILE* trace = nullptr;  // the words of the bus
};
struct JoinedRunResult {
  std::string violation{};  // empty: all promises held
  std::uint64_t fingerprint = 0;
  double virtual_seconds = 0;
  std::map<std::string, int> counts{};
};

JoinedRunResult run_joined(const JoinedRunOptions& options);

}  // namespace starbus::sim
