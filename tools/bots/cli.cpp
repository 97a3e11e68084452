#include "tools/bots/cli.hpp"

#include <CLI/CLI.hpp>
#include <ostream>
#include <random>

#include "bus/core/error.hpp"
#include "daemon/config/config_values.hpp"
#include "tools/bots/limits.hpp"
#include "tools/bots/report.hpp"
#include "tools/bots/run.hpp"
#include "tools/terminal/command_line.hpp"

namespace starbus::bots {
namespace {

constexpr int kExitUsage = 2;

struct Options {
  std::string script;
  std::optional<std::uint64_t> bots, first, seed;
  std::optional<double> arrive;
  std::string duration;
  std::vector<std::string> gates;
  RunOptions run;
  bool check = false;
  bool json = false;
  bool quiet = false;
};

void add_options(CLI::App& app, Options& options) {
  app.add_option("SCRIPT", options.script, "what bots do, in TOML")->required();
  app.add_option("--bots", options.bots, "how many play; of the script")
      ->check(tools::number_to(kBots));
  app.add_option("--first", options.first, "number of the first one; of the script")
      ->check(tools::number_to(1'000'000'000));
  app.add_option("--gate", options.gates, "URL of a gate, instead of those of the script");
  app.add_option("--arrive", options.arrive, "bots that arrive in a second, 0: all at once")
      ->check(tools::quiet(CLI::Range(0.0, 1e6)));
  app.add_option("--duration", options.duration, "such as 30s; 0s: until a signal");
  app.add_option("--threads", options.run.threads, "loops; 1")->check(tools::number_to(kThreads));
  app.add_option("--seed", options.seed, "of all chances; drawn")
      ->check(tools::number_to(tools::kMostNumber));
  app.add_option("--save-tickets", options.run.save_tickets,
                 "write what bots may come back with to this file");
  app.add_option("--log", options.run.log, "write what happens to bots, a JSON object a line");
  app.add_option("--violations", options.run.violations, "tell so many in full; 20")
      ->check(tools::number_to(kToldMost));
  app.add_flag("--check", options.check, "read the script, and end");
  app.add_flag("--json", options.json, "print the summary as JSON for scripts");
  app.add_flag("--quiet", options.quiet, "print no progress");
}

/// What the command line says instead of the script.
Result<> apply(const Options& options, Script& script) {
  if (options.bots) script.bots = *options.bots;
  if (options.first) script.first = *options.first;
  if (options.arrive) script.arrive = *options.arrive;
  if (!options.duration.empty()) {
    const auto time = daemon::parse_duration(options.duration);
    if (!time) {
      return Error(bus::Errc::bad_config, "--duration " + options.duration +
                                              ": give a number with ms, s, m or h, such as 30s");
    }
    script.duration = *time;
  }
  if (!options.gates.empty()) {
    if (auto used = use_gates(script, options.gates); !used) return used;
  }
  if (script.gates.urls.empty()) {
    return Error(bus::Errc::bad_config,
                 options.script + ": no gates; give 'urls' in [gates], or --gate URL");
  }
  return {};
}

int fail(const Surroundings& around, const Error& error, int code) {
  around.err << "starbus-bots: " << error.detail << std::endl;
  return code;
}

}  // namespace

int run_bots(const std::vector<std::string>& arguments, const Surroundings& around) {
  CLI::App app("Plays a game with thousands of scripted clients, and checks what they hear.",
               "starbus-bots");
  app.set_version_flag("--version", STARBUS_VERSION);
  Options options;
  add_options(app, options);
  if (const auto ended = tools::parse(app, arguments, around.out, around.err, kExitUsage)) {
    return *ended;
  }
  auto script = read_script(options.script);
  if (!script) return fail(around, script.error(), kExitUsage);
  if (auto applied = apply(options, *script); !applied) {
    return fail(around, applied.error(), kExitUsage);
  }
  if (options.check) {
    around.out << options.script << ": all is well" << std::endl;
    return 0;
  }
  options.run.seed = options.seed.value_or(std::random_device()());
  options.run.stops = around.stops;
  options.run.progress = options.quiet ? nullptr : &around.err;
  const auto outcome = run(*script, options.run);
  if (!outcome) {
    return fail(around, outcome.error(), outcome.error() == bus::Errc::bad_config ? kExitUsage : 1);
  }
  const Given given{options.script, options.run.seed, options.run.threads};
  around.out << (options.json ? bustop::dump(summary_json(*script, given, *outcome))
                              : summary_text(*script, given, *outcome));
  around.out.flush();
  return outcome->exit_code();
}

}  // namespace starbus::bots
