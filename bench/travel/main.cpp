// bench_travel: players who travel between hosts while they are played: what must be exact,
// counted, and how long a client sees its player stand still; and a node that drains.
#include <iostream>

#include "bench/gate/load/socket.hpp"
#include "bench/gate/roles.hpp"
#include "bench/harness/suite.hpp"
#include "bench/travel/roles.hpp"
#include "bench/travel/runs.hpp"

namespace starbus::bench::travel {
namespace {

Bar at_most(double limit) {
  return {Bar::Kind::at_most, limit};
}
Bar none() {
  Bar bar = at_most(0);
  bar.promise = true;
  return bar;
}
Bar all_of(double count) {
  Bar bar{Bar::Kind::at_least, count};
  bar.promise = true;
  return bar;
}

SuiteCase moves_case(const Options& options) {
  SuiteCase one{.name = "moves",
                .about = "players go to and fro between two hosts while all streams run",
                .run = [&](const std::string&, int) { return run_moves(options); }};
  const auto add = [&](const std::string& metric, const std::string& unit,
                       std::optional<Bar> bar = {}, const std::string& note = "") {
    one.rows.push_back({"moves." + metric, unit, {"moves", metric}, {}, bar, note});
  };
  add("trips", "between hosts", all_of(static_cast<double>(options.riders) * options.trips));
  add("failed", "trips that ended elsewhere", none());
  add("lost", "at players and clients", none());
  add("doubled", "at players and clients", none());
  add("disordered", "at players and clients", none());
  add("strange", "calls out of place", none());
  add("unanswered", "requests", none());
  add("fulls", "whole states, beyond the first", none());
  add("entered", "sessions, beyond the first", none());
  add("resumed", "sessions after a loss", none());
  add("ended", "sessions", none());
  add("heard", "numbers of players at clients");
  add("sent", "numbers to players");
  add("per_second", "trips");
  add("freeze.p50", "ms", at_most(30), "beyond the period of the numbers");
  add("freeze.p99", "ms", at_most(120));
  add("freeze.max", "ms");
  add("quiet.p50", "ms", {}, "the same, between two trips");
  add("quiet.p99", "ms");
  add("quiet.max", "ms");
  add("trip.p50", "ms", {}, "from the request to its end");
  add("trip.p99", "ms");
  return one;
}

SuiteCase drain_case(const Options& options) {
  SuiteCase one{.name = "drain",
                .about = "a node with players drains, and all go on at another host",
                .run = [&](const std::string&, int) { return run_drain(options); }};
  const auto add = [&](const std::string& metric, const std::string& unit,
                       std::optional<Bar> bar = {}) {
    one.rows.push_back({"drain." + metric, unit, {"drain", metric}, {}, bar, ""});
  };
  add("seconds", "until all play on", at_most(20));
  add("ended", "seconds until the process has", {});
  add("left", "players who did not move", none());
  add("disconnected", "clients", none());
  add("fulls", "whole states, beyond the first", none());
  add("corrections", "and teleports, of those who walk", none());
  add("violations", "gaps, doubles, fates", none());
  add("replies_lost", "requests without a reply", none());
  add("heard", "numbers of players at clients");
  return one;
}

void add_options(CLI::App& app, Options& options) {
  const auto add = [&](const char* name, auto& value, const char* about) {
    add_count(app, name, value, about);
  };
  add("--riders", options.riders, "Clients whose players travel");
  add("--trips", options.trips, "Of each of them");
  add("--stay", options.stay_ms, "Milliseconds between two trips, on average");
  add("--count", options.count_ms, "Milliseconds between two numbers of a player to its client");
  add("--word", options.word_ms, "Milliseconds between two numbers of a process to a player");
  add("--ask", options.ask_ms, "Milliseconds between two requests of a client");
  add("--players", options.players, "Of the node that drains");
}

int main_of(int argc, char** argv) {
  CLI::App app{
      "Lets players travel between two hosts, each with a busd, a gate and a node with spaces, "
      "and\n"
      "counts exactly what is lost, doubled or disordered of numbered calls, properties, messages "
      "of\n"
      "other processes and requests; measures how long a client sees its player stand still; and\n"
      "drains a node with a thousand players. A count that is not right ends the run with an "
      "error.\n"
      "Progress goes to standard error, the table to standard output."};
  SuiteOptions suite;
  suite.repetitions = 3;
  Options options;
  add_suite_options(app, suite, "Few players, one repetition: does it work?");
  add_options(app, options);
  const gate::Roles shared(app);
  const Roles roles(app);
  CLI11_PARSE(app, argc, argv);
  if (const auto code = shared.run()) return *code;
  if (const auto code = roles.run()) return *code;
  make_quick(app, suite, "--reps", suite.repetitions, 1);
  make_quick(app, suite, "--riders", options.riders, 6u);
  make_quick(app, suite, "--trips", options.trips, 4);
  make_quick(app, suite, "--players", options.players, 30u);
  gate::allow_client_files();
  return run_suite(suite, {moves_case(options), drain_case(options)}, Report("travel", {}));
}

}  // namespace
}  // namespace starbus::bench::travel

int main(int argc, char** argv) {
  return starbus::bench::travel::main_of(argc, argv);
}
