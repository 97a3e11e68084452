// What must be exact: cut connections, takeovers, gates that are drained or killed.
#include <algorithm>
#include <iostream>

#include "bench/gate/bots.hpp"
#include "bench/gate/progress.hpp"
#include "bench/gate/runs.hpp"
#include "bench/harness/clock.hpp"
#include "bench/harness/table.hpp"

namespace starbus::bench::gate {
namespace {

using Json = nlohmann::json;
using cluster_test::Daemon;
using namespace std::chrono_literals;

constexpr std::size_t kBytes = 64;
constexpr double kSlow = 4;    // so many times as long as planned a case may take
constexpr double kBegin = 60;  // seconds more
constexpr double kEach = 15;   // seconds for one gate that ends and comes back
constexpr std::chrono::seconds kDrained{30};

// Requests that the game counts, so that one that is begun twice, or never, shows.
std::string counted_at(double rate) {
  return "[[say]]\nname = \"turn\"\nmethod = \"plaza_player.turn\"\ntypes = \"()->{[u64]}\"\nrate "
         "= " +
         std::to_string(rate) + "\nexpect = \"count\"\n";
}

std::string every(const std::string& table, double seconds) {
  return "[" + table + "]\nevery = \"" + std::to_string(static_cast<int>(seconds * 1000)) +
         "ms\"\n";
}

double ended_by(const Json& summary, const std::string& reason) {
  return summary.at("sessions").at("ended").value(reason, 0.0);
}

// Fails if the game had nothing to say, or refused what it was asked: then nothing was tried.
Result<Metrics> metrics_of(const Json& summary) {
  double heard = 0;
  double missing = 0;
  for (const Json& each : summary.at("hear")) heard += each.at("heard").get<double>();
  for (const Json& each : summary.at("say")) missing += each.at("open").get<double>();
  if (heard == 0) return fail("no numbered call was heard: " + summary.at("say").dump());
  for (const Json& each : summary.at("say")) {
    if (each.at("failed") != 0) return fail("answers are errors: " + each.at("errors").dump());
  }
  const Json& bots = summary.at("bots");
  const Json& connections = summary.at("connections");
  if (connections.at("troubles").size() > 1) std::cerr << connections.dump() << "\n";
  return Metrics{{"violations", violations_of(summary)},
                 {"heard", heard},
                 {"open", missing},
                 {"absent", bots.at("wanted").get<double>() - bots.at("settled").get<double>()}};
}

// How far the bots are, for people.
std::string state_of(const Bots::Told& told) {
  return told.players + ", " + shown(told.violations) + " violations";
}

// Bots do something by themselves until it was done so often, and all play again.
Result<Metrics> play(const GameOptions& made, const Script& script, double wanted,
                     double Bots::Told::*what, Progress progress) {
  Game game(made);
  const auto started = Bots::start(game, script);
  if (!started) return started.error();
  Bots bots = *started;
  if (const auto in = bots.await_measured(); !in) return in.error();
  for (Bots::Told told; told.*what < wanted; told = bots.told()) {
    progress.reached(told.*what, state_of(told));
    if (!bots.runs()) return fail("the bots have ended");
    if (interrupted() || progress.late()) break;
    sleep_until_ns(now_ns() + 500 * kMillisecond);
  }
  const auto summary = bots.stop();
  if (!summary) return summary.error();
  Result<Metrics> counted = metrics_of(*summary);
  if (!counted) return counted;
  Metrics& metrics = *counted;
  metrics["cuts"] = summary->at("connections").at("cut").get<double>();
  metrics["takeovers"] = summary->at("sessions").at("takeovers").get<double>();
  metrics["resumed"] = summary->at("sessions").at("resumed").get<double>();
  return counted;
}

// A drained gate ends by itself; a killed one is gone. Its successor has its name and its port.
Result<void> drain(Game& game, Daemon& gate) {
  const auto ended = gate.terminate(kDrained);
  if (!ended || *ended != 0) return fail("a drained gate did not end well");
  gate.start();
  game.await(gate);
  return {};
}

Result<void> kill(Game& game, Daemon& gate) {
  gate.kill();
  gate.start();
  game.await(gate);
  // Those who were there have come back before the next one dies, as they would in a cluster.
  sleep_until_ns(now_ns() + 3 * kSecond);
  return {};
}

template <class Disturb>
Result<Metrics> disturb(const std::string& what, int times, Disturb one) {
  GameOptions made;
  made.gates = {"a", "a", "a"};
  Game game(made);
  Script script{.name = "players", .bots = 60, .seconds = 0};
  script.tables = stream_at(50, kBytes) + counted_at(5);
  const auto started = Bots::start(game, script);
  if (!started) return started.error();
  Bots bots = *started;
  if (const auto in = bots.await_measured(); !in) return in.error();
  Progress progress(what, times, kBegin + kEach * times);
  int done = 0;
  for (; done < times && bots.runs() && !interrupted() && !progress.late(); ++done) {
    const auto disturbed = one(game, game.gate(static_cast<std::size_t>(done) % made.gates.size()));
    if (!disturbed) {
      std::cerr << "\n  " << what << ", number " << done + 1 << ": " << disturbed.error().what;
      break;
    }
    progress.reached(done + 1, state_of(bots.told()));
  }
  const auto summary = bots.stop();
  if (!summary) return summary.error();
  Result<Metrics> counted = metrics_of(*summary);
  if (!counted) return counted;
  Metrics& metrics = *counted;
  metrics["times"] = done;
  const Json& sessions = summary->at("sessions");
  metrics["entered"] = sessions.at("entered").get<double>() - static_cast<double>(script.bots);
  metrics["resumed"] = sessions.at("resumed").get<double>();
  double lost = 0;
  double unknown = 0;
  for (const Json& each : summary->at("say")) {
    lost += each.at("reply_lost").get<double>() + each.at("not_begun").get<double>();
    unknown += each.at("unknown").get<double>();
  }
  metrics["replies_lost"] = lost;
  metrics["unknown"] = unknown;
  metrics["ended"] = ended_by(*summary, "fault") + ended_by(*summary, "leaving");
  return counted;
}

}  // namespace

Result<Metrics> run_cuts(const Options& options) {
  Script script{.name = "cut", .bots = 30, .seconds = 0};
  const double pause = 1.5;
  script.bots = std::min<std::size_t>(script.bots, static_cast<std::size_t>(options.cuts));
  script.tables = stream_at(200, kBytes) + counted_at(5) + every("cut", pause);
  const double planned = options.cuts * pause / static_cast<double>(script.bots);
  return play({.gates = {"a", "a"}}, script, options.cuts, &Bots::Told::cuts,
              Progress("cut", options.cuts, kBegin + kSlow * planned));
}

Result<Metrics> run_takeovers(const Options& options) {
  Script script{.name = "taken", .bots = 400, .seconds = 0};
  const double pause = 2;
  script.bots = std::min<std::size_t>(script.bots, static_cast<std::size_t>(options.takeovers));
  script.tables = stream_at(5, kBytes) + echo_at(1, kBytes) + every("takeover", pause);
  const double planned = options.takeovers * pause / static_cast<double>(script.bots);
  return play({.gates = {"a", "a"}}, script, options.takeovers, &Bots::Told::takeovers,
              Progress("taken over", options.takeovers, kBegin + kSlow * planned));
}

Result<Metrics> run_drains(const Options& options) {
  return disturb("gates drained", options.drains, drain);
}

Result<Metrics> run_kills(const Options& options) {
  return disturb("gates killed", options.kills, kill);
}

}  // namespace starbus::bench::gate
