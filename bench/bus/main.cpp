// bench_bus: starbus and its peers through the same hops, measured in one run.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>

#include "bench/bus/cases.hpp"
#include "bench/bus/driver.hpp"
#include "bench/bus/peer.hpp"
#include "bench/bus/report.hpp"
#include "bench/bus/role_command.hpp"
#ifdef STARBUS_SABOTAGE
#include "tests/sim/broken/rules.hpp"
#endif

namespace starbus::bench {
namespace {

struct Arguments {
  std::string case_glob;
  std::vector<std::string> peers;
  std::string base = "nats";
  int repetitions = 5;
  bool quick = false;
  bool list = false;
  std::string json_path;
  RunOptions run;
};

void list_cases() {
  for (const Case& one : all_cases()) {
    std::cout << one.name << std::string(24 - std::min<std::size_t>(one.name.size(), 23), ' ')
              << one.about << "\n";
  }
}

bool run_one(const Case& which, Peer& peer, int repetition, const Arguments& arguments,
             Report& report) {
  std::cerr << "rep " << repetition + 1 << "/" << arguments.repetitions << "  " << which.name
            << "  " << peer.name() << ": " << std::flush;
  const Result<Metrics> metrics = run_case(which, peer, arguments.run);
  if (!metrics) {
    std::cerr << "FAILED: " << metrics.error().what << "\n";
    return false;
  }
  for (const auto& [name, value] : *metrics) std::cerr << name << " " << value << "  ";
  std::cerr << "\n";
  report.add(which.name, std::string(peer.name()), repetition, *metrics);
  return true;
}

int run_all(const Arguments& arguments) {
  install_interrupt_handler();
  const std::vector<Case> cases = matching_cases(arguments.case_glob);
  if (cases.empty()) {
    std::cerr << "no case matches " << arguments.case_glob << "; see --list\n";
    return 2;
  }
  Report report(arguments.base);
  bool good = true;
  for (int repetition = 0; repetition < arguments.repetitions; ++repetition) {
    for (const Case& which : cases) {
      // Peers alternate within a repetition and start with another one each time, so that none of
      // them always runs on the machine that the one before has warmed up.
      for (std::size_t i = 0; i < arguments.peers.size() && !interrupted(); ++i) {
        const std::size_t turn =
            (i + static_cast<std::size_t>(repetition)) % arguments.peers.size();
        Peer& peer = *find_peer(arguments.peers[turn]);
        if (which.tls && !peer.supports_tls()) continue;
        if (which.stop_seconds > 0 && peer.is_floor()) continue;
        good = run_one(which, peer, repetition, arguments, report) && good;
      }
    }
  }
  std::cout << report.table(cases, arguments.peers);
  if (!arguments.json_path.empty()) {
    const auto written = write_text(arguments.json_path, report.json(cases, arguments.peers));
    if (!written) std::cerr << written.error().what << "\n";
    good = good && written;
  }
  if (interrupted()) return 130;
  return good ? 0 : 1;
}

int main_of(int argc, char** argv) {
  CLI::App app{
      "Measures message buses through the same hops on this machine, as separate processes:\n"
      "a star of two hosts (process - daemon - root - daemon - process), or one host\n"
      "(process - daemon - process). Peers: nats (nats-server with leaf nodes), zmq and socket\n"
      "(floors: bare libzmq and bare sockets through relays that do nothing else), and starbus\n"
      "when it is built in. Peers alternate within each repetition; figures are medians.\n"
      "Progress goes to standard error, the table to standard output."};
  Arguments arguments;
  RoleArguments role_arguments;
  std::vector<std::string> names;
  for (const auto& peer : all_peers()) {
    names.emplace_back(peer->name());
    if (!peer->on_demand()) arguments.peers.emplace_back(peer->name());
  }
  app.add_option("--case", arguments.case_glob, "Only cases that match this glob, as \"thr.64.*\"")
      ->type_name("GLOB");
  app.add_option("--peer", arguments.peers,
                 "Only these peers, separated by commas. \"no-acks\": starbus without end-to-end\n"
                 "acknowledgements, see scripts/bench acks")
      ->delimiter(',')
      ->check(CLI::IsMember(names))
      ->type_name("LIST");
  app.add_option("--base", arguments.base, "The peer that starbus is compared with")
      ->check(CLI::IsMember(names))
      ->capture_default_str();
  auto* repetitions = app.add_option("--reps", arguments.repetitions, "Repetitions of everything")
                          ->check(CLI::Range(1, 1000))
                          ->capture_default_str();
  auto* seconds = app.add_option("--seconds", arguments.run.seconds, "Measured time of one run")
                      ->check(CLI::Range(0.1, 600.0))
                      ->capture_default_str();
  app.add_flag("--quick", arguments.quick, "One repetition of half a second: does it work?");
  app.add_option("--window", arguments.run.window,
                 "Messages that a sender keeps ahead of its receiver in throughput cases\n"
                 "(default: what suits each peer best)");
  app.add_flag("--keep", arguments.run.keep_directory,
               "Keep the temporary directories with logs and configurations");
  app.add_flag("--list", arguments.list, "List the cases and stop");
  app.add_option("--json", arguments.json_path,
                 "Also write the medians there, as flat keys bus.CASE[.METRIC].PEER")
      ->type_name("FILE");
  CLI::App* role = app.add_subcommand("role");
  add_role_options(*role, role_arguments);
  CLI11_PARSE(app, argc, argv);
  if (role->parsed()) return run_role_command(role_arguments, make_role);
  if (arguments.list) {
    list_cases();
    return 0;
  }
  arguments.run.short_stops = arguments.quick;
  if (arguments.quick && repetitions->count() == 0) arguments.repetitions = 1;
  if (arguments.quick && seconds->count() == 0) arguments.run.seconds = 0.5;
  return run_all(arguments);
}

}  // namespace
}  // namespace starbus::bench

int main(int argc, char** argv) {
#ifdef STARBUS_SABOTAGE
  starbus::active_sabotage = starbus::Sabotage::no_acknowledgements;
#endif
  return starbus::bench::main_of(argc, argv);
}
