#include <thread>

#include "bench/bus/load_process.hpp"
#include "bench/gate/broker.hpp"
#include "bench/gate/game.hpp"
#include "bench/gate/runs.hpp"
#include "bench/harness/clock.hpp"
#include "bench/harness/files.hpp"

namespace starbus::bench::gate {
namespace {

// One thread, as the gate; the ciphers and the group that the load offers are the ones that both
// take. HTTP, so that no server behind it costs it a connection.
std::string configuration(int port, const std::string& certificate) {
  return "global\n"
         "  nbthread 1\n"
         "  maxconn 4096\n"
         "  tune.ssl.cachesize 0\n"
         "defaults\n"
         "  mode http\n"
         "  timeout client 10s\n"
         "  timeout http-request 10s\n"
         "  timeout connect 1s\n"
         "  timeout server 1s\n"
         "frontend tls\n"
         "  bind 127.0.0.1:" +
         std::to_string(port) + " ssl crt " + certificate + " ssl-min-ver TLSv1.3\n";
}

// Server on one core, load on the other, if there are two.
template <class Cpu>
Result<Metrics> shake_hands(ProcessGroup& processes, int port, Cpu cpu, const Options& options) {
  const auto load = processes.spawn(
      "handshakes", {own_executable(), "role", "handshakes", "--port", std::to_string(port),
                     "--seconds", std::to_string(options.seconds)});
  if (!load) return load.error();
  if (const auto ready = await_ready(**load); !ready) return ready.error();
  Result<nlohmann::json> said = fail("");
  std::int64_t before = 0;
  for (int turn = 0; turn < 2; ++turn) {  // the first warms up
    before = cpu();
    if (const auto told = (*load)->write_line("go"); !told) return told.error();
    said = read_result(**load, options.seconds);
    if (!said) return fail(said.error().what + processes.log_tail());
  }
  const double count = said->at("handshakes").get<double>();
  return Metrics{{"rate", count / said->at("seconds").get<double>()},
                 {"cpu", static_cast<double>(cpu() - before) / 1000 / count}};
}

Result<Metrics> of_haproxy(const Options& options) {
  const auto program = find_program("haproxy");
  if (!program) return program.error();
  const TemporaryFolder folder(temporary_parent(), false);
  ProcessGroup processes(folder.path());
  if (const auto made = make_certificate(folder.path()); !made) return made.error();
  const int port = cluster_test::free_port();
  const std::string file = folder.path() + "/haproxy.cfg";
  const auto written = write_text(file, configuration(port, folder.path() + "/both.pem"));
  if (!written) return written.error();
  const auto server = processes.spawn("haproxy", {*program, "-db", "-f", file});
  if (!server) return server.error();
  if (const auto up = await_port(port, **server); !up) {
    return fail(up.error().what + processes.log_tail());
  }
  return shake_hands(
      processes, port, [&] { return (*server)->cpu_ns(); }, options);
}

Result<Metrics> of_gate(const Options& options) {
  GameOptions made;
  made.tls = true;
  Game game(made);
  return shake_hands(
      game.processes(), game.port(0), [&] { return Game::cpu_ns(game.gate(0)); }, options);
}

}  // namespace

Result<Metrics> run_handshakes(const std::string& peer, const Options& options) {
  return peer == kHaproxy ? of_haproxy(options) : of_gate(options);
}

}  // namespace starbus::bench::gate
