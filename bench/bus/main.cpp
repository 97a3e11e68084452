// bench_bus: starbus and its peers through the same hops, measured in one run.
#include "bench/bus/cases.hpp"
#ifdef STARBUS_BENCH_WITH_STARBUS
#include "bench/bus/deadlines.hpp"
#endif
#include "bench/bus/driver.hpp"
#include "bench/bus/peer.hpp"
#include "bench/bus/role_command.hpp"
#include "bench/harness/suite.hpp"
#ifdef STARBUS_SABOTAGE
#include "tests/sim/broken/rules.hpp"
#endif

namespace starbus::bench {
namespace {

// What a case of this shape reports. The throughput of a case that measures it has the case's name.
std::vector<Row> rows_of(const Case& which) {
  const bool request = which.shape == Shape::kRequest;
  const bool paced = which.shape == Shape::kOpenLoop || which.shape == Shape::kAnnounce;
  const bool latency = request || paced;
  std::vector<Row> rows;
  const auto add = [&](const std::string& metric, const std::string& unit) {
    const bool main_figure = metric == "rate" && !latency;
    rows.push_back({which.name + (main_figure ? "" : "." + metric), unit, {which.name, metric}});
  };
  if (latency) add("p50", "us");
  if (latency) add("p99", "us");
  if (latency && !request) add("p999", "us");
  if (!paced) add("rate", "1/s");
  add("cpu", "CPU s per million");
  if (!latency) add("back", "bytes back, %");
  if (!which.baseline.empty()) {
    rows.push_back({which.name + ".p99.ratio_undisturbed",
                    "x " + which.baseline,
                    {which.name, "p99"},
                    Row::Figure{which.baseline, "p99"}});
    if (which.shape == Shape::kAnnounce) rows.back().bar = Bar{Bar::Kind::at_most, 1.2};
  }
  return rows;
}

#ifdef STARBUS_BENCH_WITH_STARBUS
SuiteCase deadlines_case() {
  const std::string name = kDeadlinesCase;
  Row away{name + ".away", "ms, the caller's loop", {name, "away"}};
  away.bar = Bar{Bar::Kind::at_most, 5};
  return {.name = name,
          .about = "40,000 calls to a process that is stopped end at once",
          .peers = {"starbus"},
          .run = [](const std::string&, int) { return run_deadlines(); },
          .rows = {away,
                   {name + ".ended", "calls, by their deadline", {name, "ended"}},
                   {name + ".kept", "MB afterwards", {name, "kept"}}}};
}
#endif

std::vector<SuiteCase> cases_of(const RunOptions& options) {
  std::vector<SuiteCase> cases;
  for (const Case& which : all_cases()) {
    SuiteCase one{.name = which.name, .about = which.about, .peers = {}};
    for (const auto& peer : all_peers()) {
      if (which.tls && !peer->supports_tls()) continue;
      if (which.stop_seconds > 0 && peer->is_floor()) continue;
      if (which.shape == Shape::kAnnounce && peer->name() != "starbus") continue;
      one.peers.emplace_back(peer->name());
    }
    one.run = [&which, &options](const std::string& peer, int) {
      return run_case(which, *find_peer(peer), options);
    };
    one.rows = rows_of(which);
    if (!which.baseline.empty()) one.needs = {which.baseline};
    cases.push_back(std::move(one));
  }
#ifdef STARBUS_BENCH_WITH_STARBUS
  cases.push_back(deadlines_case());
#endif
  return cases;
}

int main_of(int argc, char** argv) {
  CLI::App app{
      "Measures message buses through the same hops on this machine, as separate processes:\n"
      "a star of two hosts (process - daemon - root - daemon - process), or one host\n"
      "(process - daemon - process). Peers: nats (nats-server with leaf nodes), zmq and socket\n"
      "(floors: bare libzmq and bare sockets through relays that do nothing else), and starbus\n"
      "when it is built in. Peers alternate within each repetition; figures are medians.\n"
      "Progress goes to standard error, the table to standard output."};
  SuiteOptions options;
  options.seconds = 2;
  RunOptions run;
  RoleArguments role_arguments;
  std::vector<std::string> names;
  for (const auto& peer : all_peers()) {
    names.emplace_back(peer->name());
    if (!peer->on_demand()) options.peers.emplace_back(peer->name());
  }
  std::string base = "nats";
  add_suite_options(app, options, "One repetition of half a second: does it work?");
  add_seconds_option(app, options);
  add_peer_option(app, options, names,
                  "Only these peers, separated by commas. \"no-acks\": starbus without end-to-end\n"
                  "acknowledgements, see scripts/bench acks");
  app.add_option("--base", base, "The peer that starbus is compared with")
      ->check(CLI::IsMember(names))
      ->capture_default_str();
  app.add_option("--window", run.window,
                 "Messages that a sender keeps ahead of its receiver in throughput cases\n"
                 "(default: what suits each peer best)");
  app.add_flag("--keep", run.keep_directory,
               "Keep the temporary directories with logs and configurations");
  CLI::App* role = app.add_subcommand("role");
  add_role_options(*role, role_arguments);
#ifdef STARBUS_BENCH_WITH_STARBUS
  std::string endpoint;
  CLI::App* hung = app.add_subcommand("hung-callee")->group("");
  hung->add_option("--endpoint", endpoint);
#endif
  CLI11_PARSE(app, argc, argv);
#ifdef STARBUS_BENCH_WITH_STARBUS
  if (hung->parsed()) return run_hung_callee(endpoint);
#endif
  if (role->parsed()) return run_role_command(role_arguments, make_role);
  make_quick(app, options, "--reps", options.repetitions, 1);
  make_quick(app, options, "--seconds", options.seconds, 0.5);
  run.seconds = options.seconds;
  run.short_stops = options.quick;
  return run_suite(options, cases_of(run), Report("bus", {options.peers, "starbus", {base}}));
}

}  // namespace
}  // namespace starbus::bench

int main(int argc, char** argv) {
#ifdef STARBUS_SABOTAGE
  starbus::active_sabotage = starbus::Sabotage::no_acknowledgements;
#endif
  return starbus::bench::main_of(argc, argv);
}
