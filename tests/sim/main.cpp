// starbus-sim: seeds, campaigns, scenarios and broken variants of the deterministic simulator.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <string>

#include "tests/sim/script.hpp"
#include "tests/sim/simulation.hpp"
#include "tests/sim/variants.hpp"

namespace {

using namespace starbus::sim;
using Ull = unsigned long long;

struct Arguments {
  std::uint64_t seed = 0;
  std::uint64_t first = 0;
  std::uint64_t runs = 100;
  int steps = 1500;
  std::string profile;
  std::string scenario;
  std::string variant = "sound";
  bool json = false;
  int filled = 0;  // percent
};

RunOptions run_options(const Arguments& arguments, const Variant* variant, std::uint64_t seed) {
  RunOptions options;
  options.seed = seed;
  options.steps = arguments.steps;
  const std::string_view fallback = variant ? variant->profile : "all";
  options.profile = *find_profile(arguments.profile.empty() ? fallback : arguments.profile);
  return options;
}

// --- one seed ------------------------------------------------------------------------------------

int replay(const Arguments& arguments, const Variant* variant) {
  RunOptions options = run_options(arguments, variant, arguments.seed);
  options.trace = stdout;
  const RunResult result = run_seed(options);
  std::printf("seed %llu (%s): fingerprint %016llx, %.1f virtual seconds\n",
              static_cast<Ull>(options.seed), std::string(options.profile.name).c_str(),
              static_cast<Ull>(result.fingerprint), result.virtual_seconds);
  if (!result.violation.empty()) std::printf("VIOLATION: %s\n", result.violation.c_str());
  return result.violation.empty() == (variant == nullptr) ? 0 : 1;
}

// --- many seeds ----------------------------------------------------------------------------------

struct Campaign {
  std::string name;
  std::uint64_t runs = 0;
  std::vector<std::pair<std::uint64_t, std::string>> violations;
  Counts counts;
  std::uint64_t filled = 0;  // runs that filled three kinds of queue or more
  double seconds = 0;
  double virtual_seconds = 0;
};

Campaign run_campaign(const Arguments& arguments, const Variant* variant) {
  Campaign campaign;
  campaign.runs = arguments.runs;
  const auto begin = std::chrono::steady_clock::now();
  for (std::uint64_t i = 0; i < arguments.runs; ++i) {
    const RunOptions options = run_options(arguments, variant, arguments.first + i);
    campaign.name = std::string(variant ? variant->name : "sound") + " (" +
                    std::string(options.profile.name) + ")";
    const RunResult result = run_seed(options);
    campaign.counts += result.counts;
    campaign.filled += result.counts.kinds_filled() >= 3;
    campaign.virtual_seconds += result.virtual_seconds;
    if (result.violation.empty()) continue;
    campaign.violations.emplace_back(options.seed, result.violation);
    if (arguments.json) continue;
    std::printf("  seed %llu: %s\n", static_cast<Ull>(options.seed), result.violation.c_str());
    std::fflush(stdout);
  }
  campaign.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return campaign;
}

void print_text(const Campaign& campaign) {
  std::printf("%s: %llu seeds, %zu violations, %.1f seeds/s, %.0f virtual seconds\n",
              campaign.name.c_str(), static_cast<Ull>(campaign.runs), campaign.violations.size(),
              static_cast<double>(campaign.runs) / campaign.seconds, campaign.virtual_seconds);
  std::printf("  %llu seeds filled three kinds of queue or more\n",
              static_cast<Ull>(campaign.filled));
  for (std::size_t i = 0; i < kEvents; ++i) {
    std::printf(
        "  %-20s %12llu %10.2f per seed\n", std::string(kEventNames[i]).c_str(),
        static_cast<Ull>(campaign.counts.values[i]),
        static_cast<double>(campaign.counts.values[i]) / static_cast<double>(campaign.runs));
  }
}

std::string json_text(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

void print_json(const Campaign& campaign) {
  std::printf(
      "{\"name\":%s,\"seeds\":%llu,\"seconds\":%.3f,\"virtual_seconds\":%.1f,\"filled\":%llu,",
      json_text(campaign.name).c_str(), static_cast<Ull>(campaign.runs), campaign.seconds,
      campaign.virtual_seconds, static_cast<Ull>(campaign.filled));
  std::printf("\"violations\":[");
  for (std::size_t i = 0; i < campaign.violations.size(); ++i) {
    const auto& [seed, reason] = campaign.violations[i];
    std::printf("%s{\"seed\":%llu,\"reason\":%s}", i == 0 ? "" : ",", static_cast<Ull>(seed),
                json_text(reason).c_str());
  }
  std::printf("],\"events\":{");
  for (std::size_t i = 0; i < kEvents; ++i) {
    std::printf("%s\"%s\":%llu", i == 0 ? "" : ",", std::string(kEventNames[i]).c_str(),
                static_cast<Ull>(campaign.counts.values[i]));
  }
  std::printf("}}\n");
}

int campaign(const Arguments& arguments, const Variant* variant) {
  const Campaign result = run_campaign(arguments, variant);
  arguments.json ? print_json(result) : print_text(result);
  if (result.filled * 100 < result.runs * static_cast<std::uint64_t>(arguments.filled)) {
    std::fprintf(stderr, "starbus-sim: %llu of %llu seeds filled three kinds of queue\n",
                 static_cast<Ull>(result.filled), static_cast<Ull>(result.runs));
    return 1;
  }
  return result.violations.empty() == (variant == nullptr) ? 0 : 1;
}

// --- scenarios -----------------------------------------------------------------------------------

int list_scenarios() {
  for (const Scenario& scenario : all_scenarios()) {
    std::printf("  %-7s %s\n", std::string(scenario.name).c_str(),
                std::string(scenario.title).c_str());
  }
  return 0;
}

/// One, with its trace, or every one without.
int play_scenarios(const std::string& name, bool broken) {
  bool found = false;
  int violations = 0;
  for (const Scenario& scenario : all_scenarios()) {
    if (name != "every" && name != scenario.name) continue;
    found = true;
    try {
      scenario.run(name == "every" ? nullptr : stdout);
    } catch (const Violation& violation) {
      ++violations;
      std::printf("%s: VIOLATION: %s\n", std::string(scenario.name).c_str(), violation.what());
    }
  }
  if (!found) std::fprintf(stderr, "starbus-sim: no scenario %s (see list)\n", name.c_str());
  return found && (violations != 0) == broken ? 0 : 1;
}

// --- variants ------------------------------------------------------------------------------------

int list_variants() {
  for (const Variant& variant : all_variants()) {
    std::printf("  %-24s %-9s seed %-6llu scenario %-5s %s\n", std::string(variant.name).c_str(),
                std::string(variant.profile).c_str(), static_cast<Ull>(variant.seed),
                std::string(variant.scenario).c_str(), std::string(variant.meaning).c_str());
  }
  return 0;
}

int run(const Arguments& arguments, bool one_seed, const Variant* variant) {
  const Broken broken(variant ? variant->sabotage : starbus::Sabotage::none);
  if (!arguments.scenario.empty()) return play_scenarios(arguments.scenario, variant != nullptr);
  return one_seed ? replay(arguments, variant) : campaign(arguments, variant);
}

int run_variants(const Arguments& arguments, bool one_seed) {
  if (!kCanBreak) {
    std::fprintf(stderr, "starbus-sim: this build breaks no rules: use starbus-sim-broken\n");
    return 2;
  }
  if (arguments.variant != "every") {
    const Variant* const variant = find_variant(arguments.variant);
    if (!variant) std::fprintf(stderr, "starbus-sim: no such variant (see --variant list)\n");
    return variant ? run(arguments, one_seed, variant) : 2;
  }
  int missed = 0;
  for (const Variant& variant : all_variants()) missed += run(arguments, one_seed, &variant);
  return missed == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  CLI::App app(
      "Deterministic simulator of starbus: busroot, 3 hosts and 6 processes from bus/core in one\n"
      "thread and virtual time. A seed decides faults and traffic; an oracle checks the promises.\n"
      "Exit code 0: as expected (no violation, or one where a variant breaks a rule).",
      "starbus-sim");
  const auto* seed =
      app.add_option("--seed", arguments.seed, "Replay one seed bit for bit, with its trace");
  app.add_option("--runs", arguments.runs, "Run this many seeds; report violations and coverage")
      ->capture_default_str();
  app.add_option("--first", arguments.first, "First seed of --runs")->capture_default_str();
  app.add_option("--steps", arguments.steps, "Steps with faults, per seed")->capture_default_str();
  app.add_option(
         "--profile", arguments.profile,
         "base, deaths, extended, mail, disks, all, pressure, liars or clients (default: all, or "
         "that of the variant)")
      ->check(CLI::IsMember(
          {"base", "deaths", "extended", "mail", "disks", "all", "pressure", "liars", "clients"}));
  app.add_option("--scenario", arguments.scenario, "Play a scripted scenario: NAME, every or list");
  app.add_option("--variant", arguments.variant,
                 "Break a rule (starbus-sim-broken only): NAME, every or list")
      ->capture_default_str();
  app.add_option("--filled", arguments.filled,
                 "Demand that this percentage of --runs fills three kinds of queue or more")
      ->check(CLI::Range(0, 100));
  app.add_flag("--json", arguments.json, "Report of --runs as JSON, one object per line");
  CLI11_PARSE(app, argc, argv);
  if (arguments.scenario == "list") return list_scenarios();
  if (arguments.variant == "list") return list_variants();
  const bool one_seed = seed->count() != 0;
  if (arguments.variant != "sound") return run_variants(arguments, one_seed);
  return run(arguments, one_seed, nullptr);
}
