/// The main program of a simulator of its own kind of runs: replays one seed with its trace, or
/// runs many. One thread.
#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <map>
#include <string>

namespace starbus::sim {

/// `run(options)` returns a result with violation, fingerprint, counts and virtual_seconds; options
/// have seed and trace.
template <class Options, class Run>
int replay(Options options, Run run) {
  options.trace = stdout;
  const auto result = run(options);
  std::printf("seed %llu: fingerprint %016llx, %.1f virtual seconds\n",
              static_cast<unsigned long long>(options.seed),
              static_cast<unsigned long long>(result.fingerprint), result.virtual_seconds);
  if (!result.violation.empty()) std::printf("VIOLATION: %s\n", result.violation.c_str());
  return result.violation.empty() ? 0 : 1;
}

template <class Options, class Run>
int campaign(Options options, std::uint64_t runs, Run run) {
  std::map<std::string, std::uint64_t> counts;
  std::uint64_t violations = 0;
  double virtual_seconds = 0;
  const auto begin = std::chrono::steady_clock::now();
  for (std::uint64_t i = 0; i < runs; ++i, ++options.seed) {
    const auto result = run(options);
    for (const auto& [name, count] : result.counts) counts[name] += count;
    virtual_seconds += result.virtual_seconds;
    if (result.violation.empty()) continue;
    ++violations;
    std::printf("  seed %llu: %s\n", static_cast<unsigned long long>(options.seed),
                result.violation.c_str());
    std::fflush(stdout);
  }
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
  std::printf("%llu seeds, %llu violations, %.1f s, %.0f virtual seconds\n",
              static_cast<unsigned long long>(runs), static_cast<unsigned long long>(violations),
              passed.count(), virtual_seconds);
  for (const auto& [name, count] : counts) {
    std::printf("  %-32s %12llu\n", name.c_str(), static_cast<unsigned long long>(count));
  }
  return violations == 0 ? 0 : 1;
}

/// Exit code 0: no violation.
template <class Options, class Run>
int seeds_main(int argc, char** argv, const std::string& what, const std::string& name, Run run) {
  Options options;
  std::uint64_t runs = 20;
  std::uint64_t one = 0;
  CLI::App app(what + "\nExit code 0: no violation.", name);
  const auto* const seed = app.add_option("--seed", one, "Replay one seed, with its trace");
  app.add_option("--runs", runs, "Run this many seeds")->capture_default_str();
  app.add_option("--first", options.seed, "First seed of --runs")->capture_default_str();
  app.add_option("--steps", options.steps, "Steps of a seed before it must come to rest")
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  if (seed->count() == 0) return campaign(options, runs, run);
  options.seed = one;
  return replay(options, run);
}

}  // namespace starbus::sim
