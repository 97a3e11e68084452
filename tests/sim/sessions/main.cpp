// starbus-sim-sessions: seeds of client sessions on the real bus, in the deterministic simulator.
#include "tests/sim/campaign.hpp"
#include "tests/sim/sessions/joined_run.hpp"

int main(int argc, char** argv) {
  using namespace starbus::sim;
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
  if (seed->count() == 0) return campaign(options, runs, run_joined);
  options.seed = one;
  return replay(options, run_joined);
}
