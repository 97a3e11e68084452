#include <algorithm>

#include "bench/gate/bots.hpp"
#include "bench/gate/broker.hpp"
#include "bench/gate/room.hpp"
#include "bench/gate/runs.hpp"
#include "bench/harness/clock.hpp"
#include "bench/harness/files.hpp"

namespace starbus::bench::gate {
namespace {

using Json = nlohmann::json;

// What a server has done in a time.
struct Work {
  double cpu_ns = 0;
  double messages = 0;  // from and to clients
  double seconds = 0;
  double asked = 0;
  double answered = 0;
};

Metrics metrics_of(const Work& work, double p50_ns, double p99_ns) {
  return Metrics{{"share", work.answered / work.asked},
                 {"rate", work.answered / work.seconds},
                 {"core", work.cpu_ns / kSecond / work.seconds},
                 {"cpu", work.cpu_ns / 1000 / work.messages},
                 {"p50", p50_ns / 1000},
                 {"p99", p99_ns / 1000}};
}

struct Sample {
  std::int64_t time;
  std::int64_t cpu;
  double requests;
  double packets;
};

Sample sample(Game& game) {
  const Json counters = game.gate(0).json("/gate").at("counters");
  return {now_ns(), Game::cpu_ns(game.gate(0)), counters.at("requests").get<double>(),
          counters.at("packets").get<double>()};
}

Result<Metrics> active_starbus(const Options& options) {
  Game game({});
  const Script script{.name = "active",
                      .bots = options.active,
                      .warm_up = 3,
                      .seconds = options.seconds + 2,
                      .tables = echo_at(options.rate, options.bytes)};
  const auto started = Bots::start(game, script);
  if (!started) return started.error();
  Bots bots = *started;
  if (const auto in = bots.await_measured(); !in) return in.error();
  const Sample before = sample(game);
  sleep_until_ns(now_ns() + static_cast<std::int64_t>(options.seconds * kSecond));
  const Sample after = sample(game);
  const auto summary = bots.finish(options.seconds);
  if (!summary) return summary.error();
  if (violations_of(*summary) != 0) return fail("something was lost, doubled or foreign");
  Work work;
  work.cpu_ns = static_cast<double>(after.cpu - before.cpu);
  work.seconds = static_cast<double>(after.time - before.time) / kSecond;
  work.answered = after.packets - before.packets;
  work.messages = after.requests - before.requests + work.answered;
  work.asked = options.rate * static_cast<double>(options.active) * work.seconds;
  const Json& latency = summary->at("say").at(0).at("latency_us");
  return metrics_of(work, latency.at("p50").get<double>() * 1000,
                    latency.at("p99").get<double>() * 1000);
}

// A load that says how many messages it had, with the processor time of the server meanwhile.
template <class Run>
Result<Metrics> echoes(const Process& server, double seconds, Run run) {
  // A warm-up.
  if (const auto warm = run(2.0); !warm) return warm.error();
  const std::int64_t cpu = server.cpu_ns();
  const Result<Json> said = run(seconds);
  if (!said) return said.error();
  Work work;
  work.cpu_ns = static_cast<double>(server.cpu_ns() - cpu);
  const double sent = said->at("sent").get<double>();
  work.answered = said->at("received").get<double>();
  work.messages = sent + work.answered;
  // The load is late if the server is, or the machine: then less was answered than was asked for.
  work.seconds = std::max(seconds, said->at("seconds").get<double>());
  work.asked = sent / seconds * work.seconds;
  return metrics_of(work, said->at("p50").get<double>(), said->at("p99").get<double>());
}

Result<Metrics> active_mosquitto(bool answered, const Options& options) {
  const TemporaryFolder folder(temporary_parent(), false);
  ProcessGroup processes(folder.path());
  auto broker =
      Broker::start(folder.path(), processes,
                    {.answered = answered, .clients = options.active, .bytes = options.bytes});
  if (!broker) return broker.error();
  if (const auto in = broker->connect(); !in) return in.error();
  return echoes(broker->broker(), options.seconds, [&](double seconds) {
    return broker->run("echo " + std::to_string(seconds) + " " + std::to_string(options.rate),
                       seconds);
  });
}

Result<Metrics> active_colyseus(const Options& options) {
  const TemporaryFolder folder(temporary_parent(), false);
  ProcessGroup processes(folder.path());
  auto room = Room::start(
      processes, {.server = "server.cjs",
                  .load = "load.js",
                  .load_arguments = {std::to_string(options.colyseus), std::to_string(options.rate),
                                     std::to_string(options.bytes)}});
  if (!room) return fail(room.error().what + processes.log_tail());
  return echoes(room->server(), options.seconds,
                [&](double seconds) { return room->run(seconds); });
}

}  // namespace

Result<Metrics> run_active(const std::string& peer, const Options& options) {
  if (peer == kColyseus) return active_colyseus(options);
  if (peer == kStarbus) return active_starbus(options);
  return active_mosquitto(peer == kAnswered, options);
}

}  // namespace starbus::bench::gate
