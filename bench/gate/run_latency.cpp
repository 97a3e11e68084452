#include "bench/bus/load_process.hpp"
#include "bench/gate/bots.hpp"
#include "bench/gate/broker.hpp"
#include "bench/gate/runs.hpp"
#include "bench/harness/clock.hpp"

namespace starbus::bench::gate {
namespace {

// Few enough that nothing waits for anything but the way.
constexpr std::size_t kClients = 100;
constexpr double kRate = 10;

// The bare echo calls the same entities, which play on meanwhile without a request.
Result<double> bare_p50(Game& game, const Options& options) {
  const std::string port = std::to_string(cluster_test::free_port());
  const std::string bytes = std::to_string(options.bytes);
  const auto server = game.processes().spawn(
      "bare",
      {own_executable(), "role", "bare-server", "--endpoint", game.endpoint(), "--subjects",
       "player/b:bot{n}.1", "--method", "plaza_player.echo", "--port", port, "--bytes", bytes});
  if (!server) return server.error();
  if (const auto ready = await_ready(**server); !ready) return ready.error();
  const auto load = game.processes().spawn(
      "bare-load", {own_executable(), "role", "bare-load", "--port", port, "--clients",
                    std::to_string(kClients), "--bytes", bytes, "--rate", std::to_string(kRate),
                    "--seconds", std::to_string(options.seconds)});
  if (!load) return load.error();
  if (const auto ready = await_ready(**load); !ready) return ready.error();
  if (const auto told = (*load)->write_line("go"); !told) return told.error();
  const auto said = read_result(**load, options.seconds);
  if (!said) return said.error();
  if (said->at("received") != said->at("sent")) return fail("the bare echo has lost some");
  const double p50 = said->at("p50").get<double>() / 1000;
  game.processes().remove(**load);
  game.processes().remove(**server);
  return p50;
}

Result<nlohmann::json> gate_echo(Game& game, const Options& options) {
  const Script script{.name = "echo",
                      .bots = kClients,
                      .warm_up = 2,
                      .seconds = options.seconds,
                      .tables = echo_at(kRate, options.bytes)};
  const auto started = Bots::start(game, script);
  if (!started) return started.error();
  Bots bots = *started;
  return bots.finish(options.seconds);
}

}  // namespace

Result<Metrics> run_latency(const Options& options) {
  Game game({});
  const auto summary = gate_echo(game, options);
  if (!summary) return summary.error();
  if (violations_of(*summary) != 0) return fail("something was lost, doubled or foreign");
  const double through_gate = summary->at("say").at(0).at("latency_us").at("p50").get<double>();
  // Players end with their sessions: others keep them there.
  const auto present =
      Bots::start(game, {.name = "present", .bots = kClients, .warm_up = 0, .seconds = 0});
  if (!present) return present.error();
  Bots bots = *present;
  if (const auto in = bots.await_measured(); !in) return in.error();
  const auto bare = bare_p50(game, options);
  if (!bare) return bare.error();
  return Metrics{{"gate", through_gate}, {"bare", *bare}, {"added", through_gate - *bare}};
}

}  // namespace starbus::bench::gate
