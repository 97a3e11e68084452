#include "bench/gate/bots.hpp"
#include "bench/gate/broker.hpp"
#include "bench/gate/runs.hpp"
#include "bench/harness/clock.hpp"
#include "bench/harness/files.hpp"

namespace starbus::bench::gate {
namespace {

constexpr std::int64_t kRest = 3 * kSecond;

double growth(double before, double after, std::size_t clients) {
  return (after - before) / static_cast<double>(clients);
}

// What a server allocates once must not count for the clients: some come before.
constexpr std::size_t kFirst = 100;

Result<Metrics> idle_starbus(bool tls, const Options& options) {
  GameOptions made;
  made.tls = tls;
  Game game(made);
  Script script{.name = "first", .bots = kFirst, .seconds = 0, .character = false};
  const auto first = Bots::start(game, script);
  if (!first) return first.error();
  auto warm = *first;
  if (const auto in = warm.await_measured(); !in) return in.error();
  const pid_t gate = game.gate(0).process().pid();
  const double before = Game::resident(gate);
  script.name = "idle";
  script.first = kFirst + 1;
  script.bots = options.idle;
  const auto started = Bots::start(game, script);
  if (!started) return started.error();
  Bots bots = *started;
  if (const auto in = bots.await_measured(); !in) return in.error();
  sleep_until_ns(now_ns() + kRest);
  const double after = Game::resident(gate);
  const auto connections = game.gate(0).json("/gate").at("connections").get<std::size_t>();
  if (connections < options.idle) return fail(std::to_string(connections) + " are connected");
  return Metrics{{"bytes", growth(before, after, options.idle)}};
}

Result<Metrics> idle_mosquitto(bool tls, const Options& options) {
  const TemporaryFolder folder(temporary_parent(), false);
  ProcessGroup processes(folder.path());
  auto broker = Broker::start(folder.path(), processes, {.tls = tls, .clients = options.idle});
  if (!broker) return broker.error();
  const pid_t pid = broker->broker().pid();
  const double before = Game::resident(pid);
  if (const auto in = broker->connect(); !in) return fail(in.error().what + processes.log_tail());
  sleep_until_ns(now_ns() + kRest);
  return Metrics{{"bytes", growth(before, Game::resident(pid), options.idle)}};
}

}  // namespace

Result<Metrics> run_idle(const std::string& peer, bool tls, const Options& options) {
  return peer == kStarbus ? idle_starbus(tls, options) : idle_mosquitto(tls, options);
}

}  // namespace starbus::bench::gate
