/// One seeded run of entities: they are busy, and move between three processes, while daemons crash
/// and links fail; then all must come to rest, with the gold of the world whole and each job done
/// once. The seed decides everything.
#pragma once

#include <cstdint>
#include <cstdio>
#include <map>
#include <string>

namespace starbus::sim {

struct EntityRunOptions {
  std::uint64_t seed = 0;
  int steps = 1500;
  std::FILE* trace = nullptr;  // words to here
};

struct EntityRunResult {
  std::string violation;  // empty: every promise was kept
  std::uint64_t fingerprint = 0;
  std::map<std::string, std::uint64_t> counts;  // ends of moves, by their code; faults
  double virtual_seconds = 0;
};

EntityRunResult run_entities(const EntityRunOptions& options);

}  // namespace starbus::sim
