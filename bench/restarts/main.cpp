// bench_restarts: how long streams are silent when a daemon is replaced or killed beneath them.
#include <iostream>

#include "bench/bus/role_command.hpp"
#include "bench/harness/suite.hpp"
#include "bench/restarts/role.hpp"
#include "bench/restarts/run.hpp"

namespace starbus::bench::restarts {
namespace {

// A takeover is an upgrade under way: at the 99th percentile no stream is silent for longer.
constexpr double kLongestTakeoverMs = 300;

std::vector<std::string> available_peers(const std::vector<std::string>& wanted) {
  std::vector<std::string> peers;
  for (const std::string& name : wanted) {
    if (const auto available = find_peer(name)->available(); available) {
      peers.push_back(name);
    } else {
      std::cerr << "without " << name << ": " << available.error().what << "\n";
    }
  }
  return peers;
}

std::vector<Row> rows_of(const Case& which) {
  std::vector<Row> rows;
  for (const char* metric : {"p50", "p90", "p99", "max"}) {
    const std::string name = std::string("silence.") + metric;
    rows.push_back({which.name + "." + name, "ms", {which.name, name}});
  }
  if (which.way == Way::kTakeover) rows[2].bar = Bar{Bar::Kind::at_most, kLongestTakeoverMs};
  rows.push_back({which.name + ".lost", "messages per replacement", {which.name, "lost"}});
  return rows;
}

std::vector<SuiteCase> cases_of(const Options& options, const std::vector<std::string>& peers) {
  std::vector<SuiteCase> cases;
  for (const Case& which : all_cases()) {
    SuiteCase one{.name = which.name, .peers = {}};
    for (const std::string& peer : peers) {
      if (which.way == Way::kTakeover && !find_peer(peer)->takes_over()) continue;
      one.peers.push_back(peer);
    }
    // The same jitter for every peer: the same windows.
    one.run = [which, &options](const std::string& peer, int repetition) {
      return run_case(which, *find_peer(peer), options, static_cast<unsigned>(repetition) + 1);
    };
    one.rows = rows_of(which);
    cases.push_back(std::move(one));
  }
  return cases;
}

int main_of(int argc, char** argv) {
  CLI::App app{
      "Measures how long streams are silent when a daemon is replaced beneath them. A process on\n"
      "host 0 sends at a steady rate to channels, half of them owned on host 0, half on host 1.\n"
      "Meanwhile one daemon is replaced again and again: the root, that of the sender's host, or\n"
      "that of the owners on the other host; by a takeover (starbus alone), by a restart "
      "(SIGTERM,\n"
      "started when it has ended), or by a kill (SIGKILL, started 100 ms later, which is "
      "RestartSec\n"
      "of the systemd units). A silence is the longest of any stream through that daemon until "
      "the\n"
      "next replacement. \"undisturbed\" has the same windows without replacements. Beside NATS\n"
      "(hub and leaf nodes) if nats-server is installed.\n"
      "Of starbus nothing may be lost, doubled or reordered: else a line says FAILED, and the "
      "exit\n"
      "code is 1. Progress goes to standard error, the table to standard output."};
  SuiteOptions options;
  options.peers = {"nats", "starbus"};
  options.repetitions = 1;
  Options run;
  RoleArguments role_arguments;
  add_suite_options(app, options, "Few replacements: does it work?");
  add_peer_option(app, options, options.peers, "Only these, separated by commas");
  app.add_option("--replacements", run.replacements,
                 "Of each case. With fewer than 100 the 99th percentile is the worst")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app.add_option("--pause", run.pause_ms,
                 "Milliseconds between the end of a silence and the next\n"
                 "replacement; jitter of up to half on top")
      ->check(CLI::Range(1.0, 60'000.0))
      ->capture_default_str();
  app.add_option("--rate", run.rate, "Messages per second and channel")
      ->check(CLI::Range(1.0, 100'000.0))
      ->capture_default_str();
  app.add_option("--channels", run.channels, "Each owned by a process of its own")
      ->check(CLI::Range(2, 64))
      ->capture_default_str();
  app.add_flag("--keep", run.keep, "Keep the folders with logs and configurations");
  CLI::App* role = app.add_subcommand("role");
  add_role_options(*role, role_arguments);
  CLI11_PARSE(app, argc, argv);
  if (role->parsed()) return run_role_command(role_arguments, make_role);
  make_quick(app, options, "--replacements", run.replacements, 5);
  make_quick(app, options, "--pause", run.pause_ms, 100.0);
  options.peers = available_peers(options.peers);
  if (options.peers.empty()) return kWrongOption;
  return run_suite(options, cases_of(run, options.peers),
                   Report("restarts", {options.peers, "starbus", {"nats"}}));
}

}  // namespace
}  // namespace starbus::bench::restarts

int main(int argc, char** argv) {
  return starbus::bench::restarts::main_of(argc, argv);
}
