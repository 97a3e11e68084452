/// One seeded run of players who travel: clients, gates, accounts, the service of spaces, and nodes
/// with spaces, on the simulated bus; with faults, drains and deaths as the seed has it. Then all
/// must come to rest, with each player in one place, and all that it was promised kept. The seed
/// decides everything.
#pragma once

#include <cstdint>
#include <cstdio>
#include <map>
#include <string>

namespace starbus::sim {

/// What a seed may do to the cluster; each has what those before it have.
enum class Trouble : std::uint8_t {
  calm,    ///< connections of clients are cut, travels are refused, spaces end, nodes drain
  faults,  ///< daemons crash, links fail, processes stand still
  deaths,  ///< processes die
  leases,  ///< hosts are cut off for longer than their leases
};

struct SpacesRunOptions {
  std::uint64_t seed = 0;
  int steps = 1200;
  std::FILE* trace = nullptr;  // words to here
};

struct SpacesRunResult {
  std::string violation;  // empty: every promise was kept
  std::uint64_t fingerprint = 0;
  std::map<std::string, std::uint64_t> counts;
  double virtual_seconds = 0;
};

SpacesRunResult run_spaces(const SpacesRunOptions& options);

/// Of a seed: each has a share of them.
Trouble trouble_of(std::uint64_t seed);

}  // namespace starbus::sim
