// starbus: a whole cluster, of which the space node is measured.
#include <algorithm>
#include <vector>

#include "bench/gate/bots.hpp"
#include "bench/gate/game.hpp"
#include "bench/harness/clock.hpp"
#include "bench/space/cores.hpp"
#include "bench/space/run_room.hpp"
#include "bench/space/runs.hpp"

namespace starbus::bench::space {
namespace {

using Json = nlohmann::json;
using gate::Bots;
using gate::Game;

constexpr double kWindow = 10;  // seconds: of the node's figures (kTickWindow)
constexpr double kBeyond = 3;   // seconds: bots go on a little after what is measured
constexpr const char* kNode = "bench-space-node";

gate::GameOptions game_options(const Crowd& crowd, const Cores& cores) {
  gate::GameOptions made;
  const std::string side = std::to_string(crowd.side);
  made.files = {
      {"spaces.types",
       "[[space]]\ntype = 'field'\ncapacity = 10000\nsoft_capacity = 10000\nmin = [0.0, 0.0]\n"
       "max = [" +
           side + ", " + side + "]\nsight = " + std::to_string(crowd.radius) + "\n"}};
  made.manager_keys = "[[service]]\ntype = 'space'\n";
  gate::GameNode node = gate::playing(
      {kNode, "a", kNode,
       "view = " + std::to_string(crowd.view) + "\nmargin = " + std::to_string(crowd.range) +
           "\npaths = " + std::to_string(crowd.paths) +
           "\nnews_every = " + std::to_string(crowd.news_every) + "\n"});
  node.launcher = cores.launcher();
  made.nodes = {
      {"starbus-spaces", "a", "spaces-1", "[spaces]\nfiles = ['{folder}/spaces.types']\n"},
      std::move(node)};
  return made;
}

std::string walk_of(const Crowd& crowd) {
  if (crowd.news_every != 0) return "";
  return "[walk]\nspeed = " + std::to_string(crowd.speed) +
         "\nrange = " + std::to_string(crowd.range) +
         "\nrest = '0s'\npaths = " + std::to_string(crowd.paths) + "\n";
}

// What has been done so far.
struct Sample {
  std::int64_t time = 0;
  std::int64_t node = 0;  // ns of processor time
  std::int64_t gate = 0;
  Json field = {};
  Json tick = {};

  double seconds_since(const Sample& before) const {
    return static_cast<double>(time - before.time) / kSecond;
  }
  double since(const Sample& before, const char* what) const {
    return field.at(what).get<double>() - before.field.at(what).get<double>();
  }
};

Sample sample(Game& game) {
  cluster_test::Daemon& node = game.node(kNode);
  const Json page = node.json("/spaces");
  return {now_ns(), Game::cpu_ns(node), Game::cpu_ns(game.gate(0)), page.at("field"),
          page.at("spaces").at(0).at("tick")};
}

// The latest windows of the node's figures, which are some seconds old: from `begin` on, each once.
struct Measured {
  Sample before;
  Sample after;
  std::vector<Json> windows;

  double most(const char* what, const char* part) const {
    double most = 0;
    for (const Json& each : windows) most = std::max(most, each.at(what).at(part).get<double>());
    return most;
  }
};

Measured measure(Game& game, double seconds) {
  Measured made;
  made.before = sample(game);
  for (double passed = 0; passed < seconds;) {
    passed += std::min(kWindow, seconds - passed);
    sleep_until_ns(made.before.time + static_cast<std::int64_t>(passed * kSecond));
    made.after = sample(game);
    made.windows.push_back(made.after.tick);
  }
  return made;
}

// Fails if what was measured is not what was to be.
Result<void> check(const Json& summary, const Crowd& crowd, const Measured& measured) {
  if (gate::violations_of(summary) != 0) return fail("something was lost, doubled or foreign");
  const Json& sight = summary.at("sight");
  for (const char* what : {"corrections", "teleports", "scenes"}) {
    if (sight.at(what) != 0) return fail(sight.at(what).dump() + " " + what);
  }
  const Json& troubles = summary.at("connections").at("troubles");
  if (!troubles.empty()) return fail("troubles: " + troubles.dump());
  if (measured.before.field.at("players") != crowd.players ||
      measured.after.field.at("players") != crowd.players) {
    return fail(measured.after.field.at("players").dump() + " players are in the space");
  }
  return {};
}

struct Run {
  Measured measured;
  Json summary;
};

Result<Run> run(const Crowd& crowd, const Options& options) {
  const Cores cores(options.pin);
  Game game(game_options(crowd, cores));
  const auto started = Bots::start(game, {.name = "walkers",
                                          .bots = crowd.players,
                                          .arrive = 100,
                                          .warm_up = options.warm_up,
                                          .seconds = options.seconds + kBeyond,
                                          .tables = walk_of(crowd)});
  if (!started) return started.error();
  Bots bots = *started;
  if (const auto in = bots.await_measured(); !in) return in.error();
  Run made;
  made.measured = measure(game, options.seconds);
  auto summary = bots.finish(options.seconds);
  if (!summary) return summary.error();
  made.summary = std::move(*summary);
  if (const auto good = check(made.summary, crowd, made.measured); !good) return good.error();
  return made;
}

Result<Metrics> walk_starbus(const Crowd& crowd, const Options& options) {
  const auto done = run(crowd, options);
  if (!done) return done.error();
  const Sample& before = done->measured.before;
  const Sample& after = done->measured.after;
  const double seconds = after.seconds_since(before);
  const double updates = after.since(before, "updates");
  if (updates == 0) return fail("nobody was told of a move");
  const auto clients = static_cast<double>(crowd.players);
  const double node = static_cast<double>(after.node - before.node);
  const double gate = static_cast<double>(after.gate - before.gate);
  const double seen = after.field.at("pairs").get<double>() / clients;
  const Json& bytes = done->summary.at("bytes");
  const double down = bytes.at("in_per_bot_second").get<double>();
  return Metrics{
      {"cpu", (node + gate) / 1000 / updates},
      {"alone", node / 1000 / updates},
      {"node", node / kSecond / seconds},
      {"gate", gate / kSecond / seconds},
      {"p50", done->measured.most("took_ms", "p50")},
      {"p99", done->measured.most("took_ms", "p99")},
      {"late", done->measured.most("late_ms", "p99")},
      {"missed", after.tick.at("missed").get<double>() - before.tick.at("missed").get<double>()},
      {"seen", seen},
      {"rate", updates / seconds / clients / seen},
      {"down", down},
      {"up", bytes.at("out_per_bot_second").get<double>()},
      {"update", down * clients * seconds / updates},
      {"enters", after.since(before, "enters") / seconds / clients},
      {"mover", after.since(before, "move_bytes") / after.since(before, "moves")},
      {"wrong", 0}};
}

}  // namespace

Result<Metrics> run_walk(const std::string& peer, const Crowd& crowd, const Options& options) {
  if (peer == kStarbus) return walk_starbus(crowd, options);
  return walk_in_room(peer == kColyseus, crowd, options);
}

Result<Metrics> run_news(const Crowd& crowd, const Options& options) {
  const auto done = run(crowd, options);
  if (!done) return done.error();
  const Sample& before = done->measured.before;
  const Sample& after = done->measured.after;
  const double told = after.since(before, "news");
  const double changes = after.since(before, "changes");
  if (told == 0 || changes == 0) return fail("nobody was told of a change");
  return Metrics{{"first", after.since(before, "bytes") / told},
                 {"encoded", after.since(before, "deltas_encoded") / changes},
                 {"heard", told / after.seconds_since(before)},
                 {"observers", told / changes},
                 {"p99", done->measured.most("took_ms", "p99")},
                 {"wrong", 0}};
}

}  // namespace starbus::bench::space
