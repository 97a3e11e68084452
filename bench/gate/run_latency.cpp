#include <algorithm>
#include <string>
#include <vector>

#include "bench/bus/load_process.hpp"
#include "bench/gate/bots.hpp"
#include "bench/gate/broker.hpp"
#include "bench/gate/runs.hpp"
#include "bench/harness/clock.hpp"
#include "bench/harness/figures.hpp"

namespace starbus::bench::gate {
namespace {

// Few enough that nothing waits for anything but the way.
constexpr std::size_t kClients = 100;
constexpr double kRate = 10;
// Both in turn, so that what else the machine does meets both alike.
constexpr int kSlices = 5;

// The bare echo calls other entities of the same kind.
Result<double> bare_p50(Game& game, const Options& options, double seconds) {
  const std::string port = std::to_string(cluster_test::free_port());
  const std::string bytes = std::to_string(options.bytes);
  const auto server = game.processes().spawn(
      "bare",
      {own_executable(), "role", "bare-server", "--endpoint", game.endpoint(), "--subjects",
       "player/b:bot{n}.1", "--method", "plaza_player.echo", "--port", port, "--bytes", bytes});
  if (!server) return server.error();
  if (const auto ready = await_ready(**server); !ready) return ready.error();
  const auto load = game.processes().spawn(
      "bare-load",
      {own_executable(), "role", "bare-load", "--port", port, "--clients", std::to_string(kClients),
       "--bytes", bytes, "--rate", std::to_string(kRate), "--seconds", std::to_string(seconds)});
  if (!load) return load.error();
  if (const auto ready = await_ready(**load); !ready) return ready.error();
  if (const auto told = (*load)->write_line("go"); !told) return told.error();
  const auto said = read_result(**load, seconds);
  if (!said) return said.error();
  if (said->at("received") != said->at("sent")) return fail("the bare echo has lost some");
  const double p50 = said->at("p50").get<double>() / 1000;
  game.processes().remove(**load);
  game.processes().remove(**server);
  return p50;
}

Result<double> gate_p50(Game& game, const Options& options, double seconds, int slice) {
  const Script script{.name = "echo" + std::to_string(slice),
                      .bots = kClients,
                      .first = kClients + 1,
                      .warm_up = 1,
                      .seconds = seconds,
                      .tables = echo_at(kRate, options.bytes)};
  const auto started = Bots::start(game, script);
  if (!started) return started.error();
  Bots bots = *started;
  const auto summary = bots.finish(seconds);
  if (!summary) return summary.error();
  if (violations_of(*summary) != 0) return fail("something was lost, doubled or foreign");
  return summary->at("say").at(0).at("latency_us").at("p50").get<double>();
}

}  // namespace

Result<Metrics> run_latency(const Options& options) {
  Game game({});
  // Players end with their sessions: these keep those there that the bare echo calls.
  const auto present =
      Bots::start(game, {.name = "present", .bots = kClients, .warm_up = 0, .seconds = 0});
  if (!present) return present.error();
  Bots bots = *present;
  if (const auto in = bots.await_measured(); !in) return in.error();
  std::vector<double> gate;
  std::vector<double> bare;
  std::vector<double> added;
  for (int slice = 1; slice <= kSlices; ++slice) {
    const double seconds = std::max(options.seconds / kSlices, 0.5);
    const auto through = gate_p50(game, options, seconds, slice);
    if (!through) return through.error();
    const auto past = bare_p50(game, options, seconds);
    if (!past) return past.error();
    gate.push_back(*through);
    bare.push_back(*past);
    added.push_back(*through - *past);
  }
  const double more = *median(added);
  if (more < 0) {
    return fail("the bare echo took " + std::to_string(-more) +
                " us longer than the gate: other work on the machine was measured");
  }
  return Metrics{{"gate", *median(gate)}, {"bare", *median(bare)}, {"added", more}};
}

}  // namespace starbus::bench::gate
