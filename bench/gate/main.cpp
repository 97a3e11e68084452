// bench_gate: the gate beside its peers, and what must be exact at it, counted.
#include <iostream>

#include "bench/gate/broker.hpp"
#include "bench/gate/cases.hpp"
#include "bench/gate/load/socket.hpp"
#include "bench/gate/roles.hpp"
#include "bench/gate/room.hpp"
#include "bench/gate/runs.hpp"

namespace starbus::bench::gate {
namespace {

std::vector<std::string> missing_peers() {
  std::vector<std::string> missing;
  const auto look = [&](const Result<std::string>& found, const std::vector<std::string>& names) {
    if (found) return;
    std::cerr << "without " << found.error().what << "\n";
    missing.insert(missing.end(), names.begin(), names.end());
  };
  look(find_program("mosquitto"), {kMosquitto, kAnswered});
  look(find_program("haproxy"), {kHaproxy});
  look(find_colyseus(), {kColyseus});
  return missing;
}

void add_options(CLI::App& app, Options& options) {
  const auto add = [&](const char* name, auto& value, const char* about) {
    add_count(app, name, value, about);
  };
  add("--idle", options.idle, "Clients that do nothing");
  add("--active", options.active, "Clients that ask, or hear announcements");
  add("--rate", options.rate, "Requests of an active client in a second");
  app.add_option("--bytes", options.bytes, "Of a request")
      ->check(CLI::Range(16, 127))
      ->capture_default_str();
  add("--colyseus", options.colyseus, "Clients of the Colyseus room");
  add("--announcements", options.announcements, "One a second");
  add("--cuts", options.cuts, "Connections that break");
  add("--takeovers", options.takeovers, "Logins of those who play");
  add("--drains", options.drains, "Gates that hand over");
  add("--kills", options.kills, "Gates that die");
  add("--logins", options.logins, "Of the storm");
  add("--sessions", options.sessions, "That begin and end");
}

void make_small(const CLI::App& app, const SuiteOptions& suite, Options& options) {
  const auto make = [&](const char* name, auto& value, auto quick) {
    make_quick(app, suite, name, value, quick);
  };
  make("--idle", options.idle, 50u);
  make("--active", options.active, 20u);
  make("--colyseus", options.colyseus, 20u);
  make("--announcements", options.announcements, 2);
  make("--cuts", options.cuts, 20);
  make("--takeovers", options.takeovers, 20);
  make("--drains", options.drains, 2);
  make("--kills", options.kills, 1);
  make("--logins", options.logins, 50);
  make("--sessions", options.sessions, 1'000);
}

int main_of(int argc, char** argv) {
  CLI::App app{
      "Measures a gate with thousands of clients of starbus-bots and the game of examples/plaza:\n"
      "memory, processor time, latency, handshakes and announcements beside mosquitto, haproxy "
      "and\n"
      "a Colyseus room, as far as these are installed (scripts/deps --bench, npm); and counts "
      "what\n"
      "must be exact over cut connections, takeovers, and gates that are drained or killed.\n"
      "Progress goes to standard error, the table to standard output."};
  SuiteOptions suite;
  suite.repetitions = 3;
  suite.seconds = 10;
  Options options;
  add_suite_options(app, suite, "Few clients, one repetition: does it work?");
  add_seconds_option(app, suite);
  add_peer_option(app, suite, {kStarbus, kMosquitto, kAnswered, kColyseus, kHaproxy},
                  "Only these, separated by commas");
  add_options(app, options);
  const Roles roles(app);
  CLI11_PARSE(app, argc, argv);
  if (const auto code = roles.run()) return *code;
  make_quick(app, suite, "--reps", suite.repetitions, 1);
  make_quick(app, suite, "--seconds", suite.seconds, 1);
  make_small(app, suite, options);
  options.seconds = suite.seconds;
  allow_client_files();
  const std::vector<std::string> missing =
      suite.list ? std::vector<std::string>{} : missing_peers();
  return run_suite(suite, cases_of(options, missing),
                   Report("gate", {{kStarbus, kMosquitto, kAnswered, kColyseus, kHaproxy},
                                   kStarbus,
                                   {kMosquitto, kAnswered, kColyseus, kHaproxy}}));
}

}  // namespace
}  // namespace starbus::bench::gate

int main(int argc, char** argv) {
  return starbus::bench::gate::main_of(argc, argv);
}
