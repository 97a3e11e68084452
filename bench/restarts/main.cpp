// bench_restarts: how long streams are silent when a daemon is replaced or killed beneath them.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>

#include "bench/bus/role_command.hpp"
#include "bench/harness/trial.hpp"
#include "bench/restarts/report.hpp"
#include "bench/restarts/role.hpp"
#include "bench/restarts/run.hpp"

namespace starbus::bench::restarts {
namespace {

constexpr int kMissed = 3;  // exit code: works, and is too slow

struct Arguments {
  Options options;
  std::string glob;
  std::vector<std::string> peers = {"nats", "starbus"};
  int repetitions = 1;
  double others = 100;  // percent of the machine
  bool quick = false;
  bool check = false;
  bool list = false;
  std::string json_path;
};

bool run_one(const Case& which, Peer& peer, int repetition, const Arguments& arguments,
             Report& report) {
  const std::string name(peer.name());
  const std::string what = "rep " + std::to_string(repetition + 1) + "/" +
                           std::to_string(arguments.repetitions) + "  " + which.name + "  " + name;
  // The same jitter for every peer: the same windows.
  const auto seed = static_cast<unsigned>(repetition) + 1;
  const auto metrics = run_in_quiet(what, arguments.others,
                                    [&] { return run_case(which, peer, arguments.options, seed); });
  if (metrics) report.add(which, name, repetition, *metrics);
  return static_cast<bool>(metrics);
}

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

// 0 if the bar holds.
int check(const Report& report, const std::vector<Case>& cases) {
  if (std::ranges::none_of(cases, [](const Case& one) { return one.way == Way::kTakeover; })) {
    std::cerr << "--check: only a takeover has a bar, and none was chosen\n";
    return 2;
  }
  const std::vector<std::string> lines = report.missed(cases);
  for (const std::string& line : lines) std::cerr << "MISSED: " << line << "\n";
  return lines.empty() ? 0 : kMissed;
}

int run_all(const Arguments& arguments) {
  install_interrupt_handler();
  const std::vector<Case> cases = matching_cases(arguments.glob);
  if (cases.empty()) {
    std::cerr << "no case matches " << arguments.glob << "; see --list\n";
    return 2;
  }
  const std::vector<std::string> peers = available_peers(arguments.peers);
  if (peers.empty()) return 2;
  Report report(peers);
  bool good = true;
  for (int repetition = 0; repetition < arguments.repetitions; ++repetition) {
    for (const Case& which : cases) {
      // They alternate, and another one begins each time.
      for (std::size_t i = 0; i < peers.size() && !interrupted(); ++i) {
        const auto turn = (i + static_cast<std::size_t>(repetition)) % peers.size();
        Peer& peer = *find_peer(peers[turn]);
        if (which.way == Way::kTakeover && !peer.takes_over()) continue;
        good = run_one(which, peer, repetition, arguments, report) && good;
      }
    }
  }
  std::cout << report.table(cases);
  if (!arguments.json_path.empty()) {
    const auto written = write_text(arguments.json_path, report.json(cases));
    if (!written) std::cerr << written.error().what << "\n";
    good = good && written;
  }
  if (interrupted()) return 130;
  if (!good) return 1;
  return arguments.check ? check(report, cases) : 0;
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
  Arguments arguments;
  Options& options = arguments.options;
  RoleArguments role_arguments;
  app.add_option("--case", arguments.glob, "Only cases that match this glob, as \"root.*\"")
      ->type_name("GLOB");
  app.add_option("--peer", arguments.peers, "Only these, separated by commas")
      ->delimiter(',')
      ->check(CLI::IsMember({"nats", "starbus"}))
      ->type_name("LIST");
  auto* replacements = app.add_option("--replacements", options.replacements,
                                      "Of each case. With fewer than 100 the 99th percentile is\n"
                                      "the worst")
                           ->check(CLI::Range(1, 1'000'000))
                           ->capture_default_str();
  auto* pause = app.add_option("--pause", options.pause_ms,
                               "Milliseconds between the end of a silence and the next\n"
                               "replacement; jitter of up to half on top")
                    ->check(CLI::Range(1.0, 60'000.0))
                    ->capture_default_str();
  app.add_option("--rate", options.rate, "Messages per second and channel")
      ->check(CLI::Range(1.0, 100'000.0))
      ->capture_default_str();
  app.add_option("--channels", options.channels, "Each owned by a process of its own")
      ->check(CLI::Range(2, 64))
      ->capture_default_str();
  app.add_option("--reps", arguments.repetitions,
                 "Repetitions of everything; figures are medians of theirs")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--others", arguments.others,
                 "A run is repeated if other processes have used more than this share of the\n"
                 "machine meanwhile, percent")
      ->check(CLI::Range(0.0, 100.0))
      ->capture_default_str();
  app.add_flag("--quick", arguments.quick, "Few replacements: does it work?");
  app.add_flag("--check", arguments.check,
               "Exit code 3 if a takeover of starbus is silent for more than 300 ms at the 99th\n"
               "percentile; a line says which");
  app.add_flag("--keep", options.keep, "Keep the folders with logs and configurations");
  app.add_flag("--list", arguments.list, "List the cases and stop");
  app.add_option("--json", arguments.json_path,
                 "Also write the medians there, as flat keys restarts.DAEMON.WAY.silence.p99.PEER\n"
                 "(milliseconds) and restarts.DAEMON.WAY.lost.PEER")
      ->type_name("FILE");
  CLI::App* role = app.add_subcommand("role");
  add_role_options(*role, role_arguments);
  CLI11_PARSE(app, argc, argv);
  if (role->parsed()) return run_role_command(role_arguments, make_role);
  if (arguments.list) {
    for (const Case& one : all_cases()) std::cout << one.name << "\n";
    return 0;
  }
  if (arguments.quick && replacements->count() == 0) options.replacements = 5;
  if (arguments.quick && pause->count() == 0) options.pause_ms = 100;
  return run_all(arguments);
}

}  // namespace
}  // namespace starbus::bench::restarts

int main(int argc, char** argv) {
  return starbus::bench::restarts::main_of(argc, argv);
}
