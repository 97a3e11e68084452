// bench_shutdown: how long a game of twelve nodes takes to end in stages, with entities that have
// changed and calls that go on, and whether anything was lost; the same with a node that stands
// still. The floor: as many nodes with nothing to keep, all told to end at once.
#include <signal.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "bench/harness/figures.hpp"
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
using Measured = std::map<std::string, double>;

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

void with_dirty_data(const Options& options, Measured& measured) {
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
}

void with_one_that_stands(const Options& options, Measured& measured) {
  Game game(
      {.heroes = options.heroes,
       .manager_keys = "[shutdown]\ndeadline = '" + std::to_string(kStageDeadline.count()) + "s'"});
  open(game, options);
  Daemon* const stopped = game.homes.at("space-1");
  stopped->stop();
  measured["stopped.seconds"] = shut_down(game);
  measured["stopped.failed"] = failed(game, stopped);
  measured["stopped.named"] =
      game.manager->log().find("space-1 (space) blocks stage spaces") != std::string::npos ? 1 : 0;
  const auto lost = game.unsaved({"space-1"});
  show(lost);
  measured["stopped.unsaved"] = static_cast<double>(lost.size());
}

void floor(Measured& measured) {
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
  measured["floor.seconds"] = clock.seconds();
}

int main_of(int argc, char** argv) {
  CLI::App app{
      "Measures the staged shutdown of twelve nodes: with entities that have changed, under load,\n"
      "and with one node that stands still. Medians; of what must not be, the most."};
  Options options;
  int repetitions = 3;
  bool quick = false;
  std::string json_path;
  app.add_option("--reps", repetitions, "Repetitions")->capture_default_str();
  app.add_option("--heroes", options.heroes, "Entities of each of seven nodes")
      ->capture_default_str();
  app.add_flag("--quick", quick, "One repetition with few entities: does it work?");
  app.add_option("--json", json_path, "Also write the figures there, as flat keys shutdown.ROW")
      ->type_name("FILE");
  CLI11_PARSE(app, argc, argv);
  if (quick) {
    repetitions = 1;
    options.heroes = 30;
  }
  std::map<std::string, std::vector<double>> figures;
  for (int i = 0; i < repetitions; ++i) {
    Measured measured;
    with_dirty_data(options, measured);
    with_one_that_stands(options, measured);
    floor(measured);
    for (const auto& [name, value] : measured) figures[name].push_back(value);
    std::cerr << "rep " << i + 1 << "/" << repetitions << "  " << measured["seconds"] << " s, "
              << measured["stopped.seconds"] << " s with one that stands\n";
  }
  nlohmann::json json;
  for (const auto& [name, values] : figures) {
    const bool is_time = name.ends_with("seconds");
    const bool is_count = name == "answered";
    // What must not be once must not be at all; what must be each time is the least.
    const double value = is_time || is_count       ? median(values).value_or(0)
                         : name.ends_with("named") ? *std::ranges::min_element(values)
                                                   : *std::ranges::max_element(values);
    json["shutdown." + name] = value;
    std::printf("%-24s %10.3f%s\n", name.c_str(), value, is_time ? " s" : "");
  }
  if (json_path.empty()) return 0;
  std::ofstream file(json_path);
  file << json.dump(2) << "\n";
  return file ? 0 : 1;
}

}  // namespace
}  // namespace starbus::bench

int main(int argc, char** argv) {
  try {
    return starbus::bench::main_of(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "FAILED: " << error.what() << "\n";
    return 1;
  }
}
