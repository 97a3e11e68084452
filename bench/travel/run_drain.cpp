#include <signal.h>

#include <algorithm>
#include <iostream>

#include "bench/gate/bots.hpp"
#include "bench/harness/clock.hpp"
#include "bench/travel/game.hpp"
#include "bench/travel/runs.hpp"

namespace starbus::bench::travel {
namespace {

using cluster_test::Daemon;
using gate::Bots;
using gate::Game;
using gate::Script;
using Json = nlohmann::json;

constexpr int kCountMs = 200;
constexpr std::size_t kCapacity = 100;
constexpr std::size_t kWalkers = 10;  // one of so many walks
constexpr std::int64_t kEnter = 60 * kSecond;
constexpr std::int64_t kDrain = 60 * kSecond;  // it is a failure then, and not late
constexpr std::int64_t kAfter = 2 * kSecond;   // they play on
// Whole states of one that comes in: that of the account, and of its player.
constexpr double kFirstFulls = 2;

std::string tables_of(bool walks) {
  std::string text =
      "[[hear]]\nname = \"number\"\nmethod = \"test_pilot_client.number\"\ntypes = \"(u64)\"\n"
      "fields = [\"number\"]\n"
      "[[hear]]\nname = \"landed\"\nmethod = \"test_pilot_client.landed\"\ntypes = \"(str)\"\n"
      "fields = [\"skip\"]\n"
      "[[say]]\nname = \"earn\"\nmethod = \"test_pilot.earn\"\ntypes = \"(i32)->i32\"\n"
      "arguments = [1]\nrate = 1\n";
  if (walks) text += "[walk]\n";
  return text;
}

template <class Condition>
bool wait_for(std::int64_t limit, Condition condition) {
  const std::int64_t end = now_ns() + limit;
  while (!condition()) {
    if (interrupted() || now_ns() > end) return false;
    sleep_until_ns(now_ns() + 20 * kMillisecond);
  }
  return true;
}

// The nodes that the service of spaces may begin further lines on.
std::size_t nodes_known(Game& game) {
  const Json page = game.node("spaces-1").json("/spaces");
  return page.contains("nodes") ? page["nodes"].size() : 0;
}

double sum(const Json& counts) {
  double all = 0;
  for (const auto& [name, count] : counts.items()) all += name == "bye" ? 0 : count.get<double>();
  return all;
}

void count(const Json& summary, Metrics& metrics) {
  const double bots = summary.at("bots").at("wanted").get<double>();
  metrics["violations"] += gate::violations_of(summary);
  metrics["disconnected"] +=
      summary.at("connections").at("lost").get<double>() + sum(summary.at("sessions").at("ended"));
  metrics["fulls"] += summary.at("sessions").at("fulls").get<double>() - kFirstFulls * bots;
  metrics["corrections"] += summary.at("sight").at("corrections").get<double>() +
                            summary.at("sight").at("teleports").get<double>();
  for (const Json& each : summary.at("hear")) metrics["heard"] += each.at("heard").get<double>();
  for (const Json& each : summary.at("say")) {
    metrics["replies_lost"] += each.at("reply_lost").get<double>() +
                               each.at("not_begun").get<double>() +
                               each.at("unknown").get<double>() + each.at("open").get<double>();
  }
}

Result<Metrics> drain(Game& game, std::vector<Bots>& bots, const Options& options) {
  for (Bots& each : bots) {
    if (const auto in = each.await_measured(); !in) return in.error();
  }
  Daemon& source = game.node("high-1");
  const auto all_at = [&](const Daemon& node) { return players_in(node) == options.players; };
  if (!wait_for(kEnter, [&] { return all_at(source); })) {
    return fail(std::to_string(players_in(source)) + " have entered spaces");
  }
  const std::size_t known = nodes_known(game);
  Daemon& target = game.start(space_node("b", "high-2", "high", kCountMs));
  game.await(target);
  if (!wait_for(kEnter, [&] { return nodes_known(game) > known; })) {
    return fail("the second node is not known");
  }
  sleep_until_ns(now_ns() + kAfter);
  const std::int64_t begin = now_ns();
  source.process().signal(SIGTERM);
  const auto since = [&] { return static_cast<double>(now_ns() - begin) / kSecond; };
  Metrics metrics;
  bool moved = false;
  const bool ended = wait_for(kDrain, [&] {
    if (!moved && all_at(target)) {
      moved = true;
      metrics["seconds"] = since();
    }
    return source.process().ended().has_value();
  });
  metrics["ended"] = since();
  if (!ended || source.process().ended() != 0) return fail("the drained node did not end well");
  metrics["left"] = static_cast<double>(options.players) - static_cast<double>(players_in(target));
  if (!moved) metrics["seconds"] = metrics["ended"];
  sleep_until_ns(now_ns() + kAfter);
  for (Bots& each : bots) {
    const auto summary = each.stop();
    if (!summary) return summary.error();
    count(*summary, metrics);
  }
  return metrics;
}

}  // namespace

Result<Metrics> run_drain(const Options& options) {
  gate::GameOptions made = game_options(kCountMs, "high", kCapacity);
  made.nodes.push_back(space_node("a", "high-1", "high", kCountMs));
  Game game(made);
  std::vector<Bots> bots;
  const std::size_t walkers = options.players / kWalkers;
  const auto add = [&](const std::string& name, std::size_t first, std::size_t count,
                       bool walks) -> Result<void> {
    Script script{.name = name, .bots = count, .first = first, .arrive = 100, .seconds = 0};
    script.tables = tables_of(walks);
    const auto started = Bots::start(game, script);
    if (!started) return started.error();
    bots.push_back(*started);
    return {};
  };
  if (const auto up = add("still", 1, options.players - walkers, false); !up) return up.error();
  if (const auto up = add("walkers", options.players - walkers + 1, walkers, true); !up) {
    return up.error();
  }
  return drain(game, bots, options);
}

}  // namespace starbus::bench::travel
