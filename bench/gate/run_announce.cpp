#include "bench/gate/bots.hpp"
#include "bench/gate/broker.hpp"
#include "bench/gate/runs.hpp"
#include "bench/harness/clock.hpp"
#include "bench/harness/files.hpp"

namespace starbus::bench::gate {
namespace {

using Json = nlohmann::json;

constexpr const char* kNews =
    "[[hear]]\nname = \"news\"\nmethod = \"plaza_client.said\"\n"
    "types = \"(str,u64,u64,u64,str,str)\"\ngroup = \"world\"\n"
    "fields = [\"origin\", \"life\", \"number\", \"time\", \"skip\", \"skip\"]\n";

// Copies that all routers have sent on, and announcements that have come to them from the game.
struct Copies {
  double sent = 0;
  double announcements = 0;
};

Copies copies_of(Game& game) {
  const auto counters = [](cluster_test::Daemon& daemon) {
    return daemon.json("/status").at("counters");
  };
  const Json at_game = counters(game.cluster().busd("a"));
  Copies found;
  found.announcements = at_game.at("multicasts_in").get<double>();
  for (const Json& each :
       {at_game, counters(game.cluster().busd("b")), counters(game.cluster().root())}) {
    found.sent += each.at("multicast_copies_out").get<double>();
  }
  return found;
}

// Once a second, since all must have heard one before the next.
Result<Metrics> announce_starbus(const Options& options) {
  Game game({.hosts = {"a", "b"},
             .gates = {"a", "b"},
             .nodes = {playing(
                 {"plaza", "a", "plaza-1",
                  "news_per_second = 1\nnews_bytes = " + std::to_string(options.bytes) + "\n"})}});
  const double seconds = options.announcements;
  const auto started = Bots::start(game, {.name = "hearers",
                                          .bots = options.active,
                                          .warm_up = 3,
                                          .seconds = seconds,
                                          .tables = kNews});
  if (!started) return started.error();
  Bots bots = *started;
  if (const auto in = bots.await_measured(); !in) return in.error();
  const Copies before = copies_of(game);
  sleep_until_ns(now_ns() + static_cast<std::int64_t>((seconds - 1) * kSecond));
  const Copies after = copies_of(game);
  const auto summary = bots.finish(seconds);
  if (!summary) return summary.error();
  if (violations_of(*summary) != 0) return fail("something was lost, doubled or foreign");
  const Json& heard = summary->at("hear").at(0);
  if (heard.at("missing") != 0) return fail("members have missed an announcement");
  return Metrics{
      {"last", heard.at("latency_us").at("max").get<double>() / 1000},
      {"copies", (after.sent - before.sent) / (after.announcements - before.announcements)}};
}

Result<Metrics> announce_mosquitto(const Options& options) {
  const TemporaryFolder folder(temporary_parent(), false);
  ProcessGroup processes(folder.path());
  auto broker =
      Broker::start(folder.path(), processes, {.clients = options.active, .bytes = options.bytes});
  if (!broker) return broker.error();
  if (const auto in = broker->connect(); !in) return in.error();
  if (const auto warm = broker->run("fanout 3", 10); !warm) return warm.error();
  const auto said =
      broker->run("fanout " + std::to_string(options.announcements), options.announcements);
  if (!said) return said.error();
  return Metrics{{"last", said->at("max").get<double>() / kMillisecond}};
}

}  // namespace

Result<Metrics> run_announce(const std::string& peer, const Options& options) {
  return peer == kStarbus ? announce_starbus(options) : announce_mosquitto(options);
}

}  // namespace starbus::bench::gate
