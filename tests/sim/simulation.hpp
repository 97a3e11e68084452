/// One seeded run: a cluster comes up, faults and traffic for so many steps, then it must heal. The
/// seed decides everything, so the same seed gives the same run, bit for bit.
#pragma once

#include <cstdio>
#include <string>

#include "tests/sim/counts.hpp"
#include "tests/sim/profile.hpp"

namespace starbus::sim {

struct RunOptions {
  std::uint64_t seed = 0;
  Profile profile = kProfiles[0];
  int steps = 1500;
  std::FILE* trace = nullptr;  // words to here
};

struct RunResult {
  std::string violation;  // empty: every promise was kept
  std::uint64_t fingerprint = 0;
  Counts counts;
  double virtual_seconds = 0;
  double healing_seconds = 0;  // virtual, of these
};

RunResult run_seed(const RunOptions& options);

}  // namespace starbus::sim
