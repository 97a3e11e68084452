// starbus-sim-entities: seeds of moves of entities in the deterministic simulator.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <string>

#include "tests/sim/entities/entity_run.hpp"

namespace {

using namespace starbus::sim;
using Ull = unsigned long long;

int replay(EntityRunOptions options) {
  options.trace = stdout;
  const EntityRunResult result = run_entities(options);
  std::printf("seed %llu: fingerprint %016llx, %.1f virtual seconds\n",
              static_cast<Ull>(options.seed), static_cast<Ull>(result.fingerprint),
              result.virtual_seconds);
  if (!result.violation.empty()) std::printf("VIOLATION: %s\n", result.violation.c_str());
  return result.violation.empty() ? 0 : 1;
}

int campaign(EntityRunOptions options, std::uint64_t runs) {
  std::map<std::string, std::uint64_t> counts;
  std::uint64_t violations = 0;
  double virtual_seconds = 0;
  const auto begin = std::chrono::steady_clock::now();
  for (std::uint64_t i = 0; i < runs; ++i, ++options.seed) {
    const EntityRunResult result = run_entities(options);
    for (const auto& [name, count] : result.counts) counts[name] += count;
    virtual_seconds += result.virtual_seconds;
    if (result.violation.empty()) continue;
    ++violations;
    std::printf("  seed %llu: %s\n", static_cast<Ull>(options.seed), result.violation.c_str());
    std::fflush(stdout);
  }
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
  std::printf("%llu seeds, %llu violations, %.1f s, %.0f virtual seconds\n", static_cast<Ull>(runs),
              static_cast<Ull>(violations), passed.count(), virtual_seconds);
  for (const auto& [name, count] : counts) {
    std::printf("  %-20s %12llu\n", name.c_str(), static_cast<Ull>(count));
  }
  return violations == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  EntityRunOptions options;
  std::uint64_t runs = 20;
  CLI::App app(
      "Entities that move between three simulated processes while daemons crash and links fail.\n"
      "Exit code 0: no violation.",
      "starbus-sim-entities");
  std::uint64_t one = 0;
  const auto* const seed = app.add_option("--seed", one, "Replay one seed, with its trace");
  app.add_option("--runs", runs, "Run this many seeds")->capture_default_str();
  app.add_option("--first", options.seed, "First seed of --runs")->capture_default_str();
  app.add_option("--steps", options.steps, "Steps with faults, per seed")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  if (seed->count() == 0) return campaign(options, runs);
  options.seed = one;
  return replay(options);
}
