// What must be exact: cut connections, takeovers, gates that are drained or killed.
#include <algorithm>

#include "bench/gate/bots.hpp"
#include "bench/gate/runs.hpp"
#include "bench/harness/clock.hpp"

namespace starbus::bench::gate {
namespace {

using Json = nlohmann::json;
using cluster_test::Daemon;
using namespace std::chrono_literals;

constexpr double kSpare = 1.3;  // some are away when it is their turn
constexpr double kBegin = 3;    // seconds until all of them have begun
constexpr std::size_t kBytes = 64;
constexpr std::int64_t kBack = 20 * kSecond;  // until all play again after the last one
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
  return Metrics{{"violations", violations_of(summary)},
                 {"heard", heard},
                 {"open", missing},
                 {"absent", bots.at("wanted").get<double>() - bots.at("playing").get<double>()}};
}

// Time goes by, or the bots end.
Result<Metrics> play(const GameOptions& made, const Script& script) {
  Game game(made);
  const auto started = Bots::start(game, script);
  if (!started) return started.error();
  Bots bots = *started;
  const auto summary = bots.finish(script.seconds);
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
Result<Metrics> disturb(int times, Disturb one) {
  GameOptions made;
  made.gates = {"a", "a", "a"};
  Game game(made);
  Script script{.name = "players", .bots = 60, .seconds = 0};
  script.tables = stream_at(50, kBytes) + counted_at(5);
  const auto started = Bots::start(game, script);
  if (!started) return started.error();
  Bots bots = *started;
  if (const auto in = bots.await_measured(); !in) return in.error();
  int done = 0;
  for (; done < times && bots.runs() && !interrupted(); ++done) {
    const auto disturbed = one(game, game.gate(static_cast<std::size_t>(done) % made.gates.size()));
    if (!disturbed) return fail(std::to_string(done + 1) + ": " + disturbed.error().what);
  }
  sleep_until_ns(now_ns() + kBack);
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
  Script script{.name = "cut", .bots = 30};
  const double pause = 1.5;
  script.bots = std::min<std::size_t>(script.bots, static_cast<std::size_t>(options.cuts));
  script.seconds = kBegin + kSpare * options.cuts * pause / static_cast<double>(script.bots);
  script.tables = stream_at(200, kBytes) + counted_at(5) + every("cut", pause);
  return play({.gates = {"a", "a"}}, script);
}

Result<Metrics> run_takeovers(const Options& options) {
  Script script{.name = "taken", .bots = 400};
  const double pause = 2;
  script.bots = std::min<std::size_t>(script.bots, static_cast<std::size_t>(options.takeovers));
  script.seconds = kBegin + kSpare * options.takeovers * pause / static_cast<double>(script.bots);
  script.tables = stream_at(5, kBytes) + echo_at(1, kBytes) + every("takeover", pause);
  return play({.gates = {"a", "a"}}, script);
}

Result<Metrics> run_drains(const Options& options) {
  return disturb(options.drains, drain);
}

Result<Metrics> run_kills(const Options& options) {
  return disturb(options.kills, kill);
}

}  // namespace starbus::bench::gate
