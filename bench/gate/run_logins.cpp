// Logins: a storm, somebody who guesses, and sessions that come and go.
#include <algorithm>

#include "bench/gate/bots.hpp"
#include "bench/gate/progress.hpp"
#include "bench/gate/runs.hpp"
#include "bench/harness/clock.hpp"
#include "bench/harness/table.hpp"

namespace starbus::bench::gate {
namespace {

using Json = nlohmann::json;

constexpr int kStorm = 200;          // players that enter in a second: as shipped
constexpr std::size_t kHonest = 30;  // who log in beside the guesser
constexpr double kHonestPerSecond = 3;
constexpr double kLeastPerSecond = 50;  // sessions that begin, however busy the machine is
constexpr std::size_t kGuessers = 60;   // that try again a second after each answer

double sum_of(const Json& counts) {
  double sum = 0;
  for (const auto& [name, count] : counts.items()) sum += count.get<double>();
  return sum;
}

Result<double> honest_entry(Game& game, const std::string& name) {
  const auto started = Bots::start(game, {.name = name,
                                          .bots = kHonest,
                                          .arrive = kHonestPerSecond,
                                          .warm_up = 0,
                                          .character = false,
                                          .passwords = true});
  if (!started) return started.error();
  Bots bots = *started;
  const auto summary = bots.finish(60);
  if (!summary) return summary.error();
  return summary->at("entry").at("latency_us").at("p90").get<double>() / 1000;
}

}  // namespace

Result<Metrics> run_storm(const Options& options) {
  GameOptions made;
  made.per_second = kStorm;
  Game game(made);
  Script script{.name = "storm", .arrive = 0, .in_order = true};
  script.bots = static_cast<std::size_t>(options.logins);
  const auto started = Bots::start(game, script);
  if (!started) return started.error();
  Bots bots = *started;
  const auto summary = bots.finish(60);
  if (!summary) return summary.error();
  const Json& entry = summary->at("entry");
  const Json counters = game.gate(0).json("/gate").at("counters");
  return Metrics{{"came_in", summary->at("bots").at("came_in").get<double>()},
                 {"twice", counters.at("logins").get<double>() - options.logins},
                 {"refused", sum_of(entry.at("refused"))},
                 {"waited", entry.at("waited").get<double>()},
                 {"overtaken", entry.at("overtaken_most").get<double>()},
                 {"seconds", entry.at("seconds").get<double>()},
                 {"violations", violations_of(*summary)}};
}

Result<Metrics> run_guesses(const Options& options) {
  Game game({});
  const auto created = honest_entry(game, "created");  // the first time: accounts are made
  if (!created) return created.error();
  const auto alone = honest_entry(game, "alone");
  if (!alone) return alone.error();
  // The second minute counts: the first mistakes cost nothing, as they should for people.
  const double minute = std::min(60.0, 6 * options.seconds);
  Script guesser{
      .name = "guesser", .bots = kGuessers, .arrive = 0, .character = false, .from = "127.9.9.9"};
  guesser.wrong = true;
  const auto started = Bots::start(game, guesser);
  if (!started) return started.error();
  const auto guesses = [&] {
    return game.node("login-1").json("/login").at("wrong_proofs").get<double>();
  };
  const auto wait = [](double seconds) {
    sleep_until_ns(now_ns() + static_cast<std::int64_t>(seconds * kSecond));
  };
  wait(minute);
  const double before = guesses();
  const std::int64_t begin = now_ns();
  const auto beside = honest_entry(game, "beside");
  if (!beside) return beside.error();
  wait(std::max(0.0, minute - static_cast<double>(now_ns() - begin) / kSecond));
  const double passed = static_cast<double>(now_ns() - begin) / kSecond;
  return Metrics{{"guesses", (guesses() - before) / passed * 60},
                 {"alone", *alone},
                 {"beside", *beside},
                 {"ratio", *beside / *alone}};
}

// Each takeover is a session that begins, and another that ends.
Result<Metrics> run_churn(const Options& options) {
  GameOptions made;
  made.gates = {"a", "a"};
  made.per_second = 100'000;
  Game game(made);
  Script script{.name = "churn", .bots = 400, .seconds = 0, .character = false};
  script.tables = "[takeover]\nevery = \"1s\"\n";
  const auto started = Bots::start(game, script);
  if (!started) return started.error();
  Bots bots = *started;
  if (const auto in = bots.await_measured(); !in) return in.error();
  const auto logins = [&] {
    double sum = 0;
    for (std::size_t i = 0; i < 2; ++i) {
      sum += game.gate(i).json("/gate").at("counters").at("logins").get<double>();
    }
    return sum;
  };
  const auto memory = [&] {
    return Game::resident(game.gate(0).process().pid()) +
           Game::resident(game.gate(1).process().pid());
  };
  Progress progress("sessions", options.sessions, 60 + options.sessions / kLeastPerSecond);
  const auto wait_for = [&](double count) -> Result<void> {
    for (double now = 0; now < count;) {
      if (!bots.runs() || interrupted()) return fail("the bots have ended");
      if (progress.late()) return fail(progress.lateness());
      sleep_until_ns(now_ns() + 500 * kMillisecond);
      now = logins();
      progress.reached(now, shown(memory() / 1024 / 1024) + " MiB");
    }
    return {};
  };
  // Ended sessions can say why for a minute: by half of them as many are kept as ever will be.
  if (const auto half = wait_for(options.sessions / 2.0); !half) return half.error();
  const double before = memory();
  if (const auto all = wait_for(options.sessions); !all) return all.error();
  const double after = memory();
  const double count = logins();
  const auto summary = bots.stop();
  if (!summary) return summary.error();
  return Metrics{{"growth", (after - before) / 1024 / 1024},
                 {"sessions", count},
                 {"memory", after / 1024 / 1024},
                 {"violations", violations_of(*summary)}};
}

}  // namespace starbus::bench::gate
