// bench_space: what it costs a space to tell the clients of its players what is around them, within
// one process, and over a cluster beside a room of Colyseus.
#include <iostream>

#include "bench/gate/load/socket.hpp"
#include "bench/gate/roles.hpp"
#include "bench/gate/room.hpp"
#include "bench/space/cases.hpp"
#include "bench/space/runs.hpp"

namespace starbus::bench::space {
namespace {

void add_options(CLI::App& app, Options& options) {
  const auto add = [&](const char* name, auto& value, const char* about) {
    add_count(app, name, value, about);
  };
  add("--walkers", options.walkers, "Players of node.walk");
  add("--many", options.many, "Players of node.walk2000");
  add("--crowd", options.crowd, "Players of node.spot");
  add("--posers", options.posers, "Players of node.news");
  add("--warm-up", options.warm_up, "Seconds before what is measured");
  add("--ticks", options.ticks, "Ticks of walk and spot");
  app.add_flag("!--no-pin", options.pin, "The measured server may run on any core");
}

void make_small(const CLI::App& app, const SuiteOptions& suite, Options& options) {
  const auto make = [&](const char* name, auto& value, auto quick) {
    make_quick(app, suite, name, value, quick);
  };
  make("--walkers", options.walkers, 30u);
  make("--many", options.many, 40u);
  make("--crowd", options.crowd, 20u);
  make("--posers", options.posers, 10u);
  make("--warm-up", options.warm_up, 1.0);
  make("--ticks", options.ticks, 5);
}

int main_of(int argc, char** argv) {
  CLI::App app{
      "Measures spaces, 10 ticks per second, all players walk at 5 m/s and watch, radius 30.\n"
      "walk, spot: sight alone, in one thread of this process; bodies are made, and not sent.\n"
      "node.*: a cluster of real processes (busroot, busd, manager, db, login, starbus-spaces, a\n"
      "gate, a space node) with players of starbus-bots, and a Colyseus room in which clients "
      "walk\n"
      "the same ways, with a StateView and a grid (colyseus), or told the whole state\n"
      "(colyseus+all). On a machine of several cores the space node, or the room, is pinned to "
      "the\n"
      "first one with taskset, and all else to the others, unless --no-pin is given.\n"
      "Progress goes to standard error, the table to standard output."};
  SuiteOptions suite;
  suite.repetitions = 3;
  suite.seconds = 20;
  Options options;
  add_suite_options(app, suite, "Few players, one repetition: does it work?");
  add_seconds_option(app, suite);
  add_peer_option(app, suite, {kStarbus, kColyseus, kColyseusAll},
                  "Only these, separated by commas");
  add_options(app, options);
  const gate::Roles roles(app);
  CLI11_PARSE(app, argc, argv);
  if (const auto code = roles.run()) return *code;
  make_quick(app, suite, "--reps", suite.repetitions, 1);
  make_quick(app, suite, "--seconds", suite.seconds, 1);
  make_small(app, suite, options);
  options.seconds = suite.seconds;
  gate::allow_client_files();
  std::vector<std::string> missing;
  if (const auto found = gate::find_colyseus(); !suite.list && !found) {
    std::cerr << "without " << found.error().what << "\n";
    missing = {kColyseus, kColyseusAll};
  }
  return run_suite(
      suite, cases_of(options, missing),
      Report("space", {{kStarbus, kColyseus, kColyseusAll}, kStarbus, {kColyseus, kColyseusAll}}));
}

}  // namespace
}  // namespace starbus::bench::space

int main(int argc, char** argv) {
  return starbus::bench::space::main_of(argc, argv);
}
