// bench_shutdown: how long a game of twelve nodes takes to end in stages, with entities that have
// changed and calls that go on, and whether anything was lost; the same with a node that stands
// still. The floor: as many nodes with nothing to keep, all told to end at once.
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <thread>

#include "bench/harness/suite.hpp"
#include "tests/cluster/realm/game.hpp"
#include "tests/places.hpp"

namespace starbus::bench {
namespace {

using cluster_test::Daemon;
using cluster_test::Game;
using cluster_test::wait_for;
using namespace std::chrono_literals;

constexpr std::chrono::seconds kStageDeadline{3};  // of the run with a node that stands still

struct Options {
  std::uint64_t heroes = 300;  // of each of the seven nodes that have some
  std::chrono::milliseconds load = 1s;
};

class Clock {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count();
  }

 private:
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

void must(bool condition, const char* what) {
  if (!condition) throw std::runtime_error(what);
}

void open(Game& game, const Options& options) {
  game.start_twelve();
  must(wait_for(60s, [&] { return game.is_open(); }), "the game did not open within a minute");
  std::this_thread::sleep_for(options.load);
}

/// Until the manager, which ends last, has; the seconds.
double shut_down(Game& game) {
  const Clock clock;
  const auto asked = game.cluster.run(
      {program("bustop"), "shutdown", "--reason", "bench", "--busd", game.cluster.endpoint("b")},
      "shutdown");
  must(game.manager->process().wait(60s).has_value(), "the manager did not end within a minute");
  const double took = clock.seconds();
  must(asked->wait(10s).has_value(), "bustop did not end");
  return took;
}

/// Nodes that did not end with exit code 0, but for one.
double failed(Game& game, const Daemon* except = nullptr) {
  double count = 0;
  for (const auto& each : game.daemons) {
    if (each.get() != except && each->process().wait(5s) != 0) ++count;
  }
  return count;
}

void show(const std::vector<std::string>& lines) {
  for (std::size_t i = 0; i < lines.size() && i < 5; ++i) std::cerr << "  " << lines[i] << "\n";
}

Metrics with_dirty_data(const Options& options) {
  Metrics measured;
  Game game({.heroes = options.heroes});
  open(game, options);
  measured["seconds"] = shut_down(game);
  measured["failed"] = failed(game);
  const auto lost = game.unsaved();
  const auto early = game.out_of_order({{"gate"}, {"guilds"}, {"space"}, {"db"}});
  show(lost);
  show(early);
  measured["unsaved"] = static_cast<double>(lost.size());
  measured["out_of_order"] = static_cast<double>(early.size());
  measured["answered"] = static_cast<double>(game.answered());
  return measured;
}

Metrics with_one_that_stands(const Options& options) {
  Metrics measured;
  Game game(
      {.heroes = options.heroes,
       .manager_keys = "[shutdown]\ndeadline = '" + std::to_string(kStageDeadline.count()) + "s'"});
  open(game, options);
  Daemon* const stopped = game.homes.at("space-1");
  stopped->stop();
  measured["seconds"] = shut_down(game);
  measured["failed"] = failed(game, stopped);
  measured["named"] =
      game.manager->log().find("space-1 (space) blocks stage spaces") != std::string::npos ? 1 : 0;
  const auto lost = game.unsaved({"space-1"});
  show(lost);
  measured["unsaved"] = static_cast<double>(lost.size());
  return measured;
}

Metrics floor() {
  Game game({.heroes = 0});
  game.start_storage();
  std::vector<Daemon*> nodes;
  for (int i = 0; i < 12; ++i) {
    nodes.push_back(&game.realm(i % 2 == 0 ? "a" : "b", "bare-" + std::to_string(i), "bare", ""));
  }
  must(wait_for(
           60s,
           [&] { return std::ranges::all_of(nodes, [](Daemon* node) { return node->serves(); }); }),
       "the nodes were not ready within a minute");
  const Clock clock;
  for (Daemon* node : nodes) node->process().signal(SIGTERM);
  for (Daemon* node : nodes) must(node->process().wait(30s).has_value(), "a node did not end");
  return {{"seconds", clock.seconds()}};
}

SuiteCase case_of(const std::string& name, const std::string& about,
                  const std::function<Metrics()>& run, const std::vector<Row>& rows) {
  return {.name = name,
          .about = about,
          .run = [run](const std::string&, int) -> Result<Metrics> { return run(); },
          .rows = rows};
}

int main_of(int argc, char** argv) {
  CLI::App app{
      "Measures the staged shutdown of twelve nodes: with entities that have changed, under load,\n"
      "and with one node that stands still. Of what must not be, look at the most."};
  SuiteOptions suite;
  suite.repetitions = 3;
  Options options;
  add_suite_options(app, suite, "One repetition with few entities: does it work?");
  app.add_option("--heroes", options.heroes, "Entities of each of seven nodes")
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  make_quick(app, suite, "--reps", suite.repetitions, 1);
  make_quick(app, suite, "--heroes", options.heroes, 30);
  const std::vector<SuiteCase> cases{
      case_of("dirty", "all nodes end", [&] { return with_dirty_data(options); },
              {{"seconds", "s", {"dirty", "seconds"}},
               {"failed", "exit codes that are not 0", {"dirty", "failed"}},
               {"unsaved", "entities", {"dirty", "unsaved"}},
               {"out_of_order", "nodes", {"dirty", "out_of_order"}},
               {"answered", "calls", {"dirty", "answered"}}}),
      case_of("stopped", "one node stands still", [&] { return with_one_that_stands(options); },
              {{"stopped.seconds", "s", {"stopped", "seconds"}},
               {"stopped.failed", "other exit codes that are not 0", {"stopped", "failed"}},
               {"stopped.named", "times, in the manager's log", {"stopped", "named"}},
               {"stopped.unsaved", "entities of others", {"stopped", "unsaved"}}}),
      case_of("floor", "as many nodes with nothing to keep, at once", floor,
              {{"floor.seconds", "s", {"floor", "seconds"}}})};
  return run_suite(suite, cases, Report("shutdown", {}));
}

}  // namespace
}  // namespace starbus::bench

int main(int argc, char** argv) {
  return starbus::bench::main_of(argc, argv);
}
