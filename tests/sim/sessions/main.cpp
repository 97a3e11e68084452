// starbus-sim-sessions: seeds of client sessions on the real bus, in the deterministic simulator.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <string>

#include "tests/sim/sessions/joined_run.hpp"

namespace {

using namespace starbus::sim;
using Ull = unsigned long long;

int replay(JoinedRunOptions options) {
  options.trace = stdout;
  const JoinedRunResult result = run_joined(options);
  std::printf("seed %llu: fingerprint %016llx, %.1f virtual seconds\n",
              static_cast<Ull>(options.seed), static_cast<Ull>(result.fingerprint),
              result.virtual_seconds);
  if (!result.violation.empty()) std::printf("VIOLATION: %s\n", result.violation.c_str());
  return result.violation.empty() ? 0 : 1;
}

int campaign(JoinedRunOptions options, std::uint64_t runs) {
  std::map<std::string, long> counts;
  std::uint64_t violations = 0;
  double virtual_seconds = 0;
  const auto begin = std::chrono::steady_clock::now();
  for (std::uint64_t i = 0; i < runs; ++i, ++options.seed) {
    const JoinedRunResult result = run_joined(options);
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
  for (const auto& [name, count] : counts) std::printf("  %-20s %12ld\n", name.c_str(), count);
  return violations == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  JoinedRunOptions options;
  std::uint64_t runs = 20;
  CLI::App app(
      "Homes, gates, accounts and clients on a simulated cluster: client library, busds, busroot.\n"
      "Exit code 0: no violation.",
      "starbus-sim-sessions");
  std::uint64_t one = 0;
  bool calm = false;
  const auto* const seed = app.add_option("--seed", one, "Replay one seed, with its trace");
  app.add_option("--runs", runs, "Run this many seeds")->capture_default_str();
  app.add_option("--first", options.seed, "First seed of --runs")->capture_default_str();
  app.add_option("--steps", options.steps, "Steps with faults, per seed")->capture_default_str();
  app.add_option("--broken", options.broken, "Break these rules: one+another");
  app.add_flag("--calm", calm, "Let no process die");
  CLI11_PARSE(app, argc, argv);
  options.deaths = !calm;
  if (seed->count() == 0) return campaign(options, runs);
  options.seed = one;
  return replay(options);
}
