// Daemons are killed at random times under load: nothing is lost, doubled or reordered. How long
// the pauses are is printed, and bounded in the long run, which has a machine for itself;
// `scripts/bench restarts` measures them.
#include <gtest/gtest.h>

#include <iostream>

#include "tests/cluster/chaos/chaos_run.hpp"
#include "tests/cluster/chaos/stalls.hpp"
#include "tests/cluster/chaos/verdict.hpp"
#include "tests/places.hpp"
#include "tests/sim/random.hpp"

namespace starbus::cluster_test {
namespace {

using namespace std::chrono_literals;

TEST(CrashStorm, MessagesAreHandledExactlyOnce) {
  const int kills = long_runs() ? 20 : 6;
  const std::uint32_t messages = long_runs() ? 10'000'000 : 100'000;
  const std::chrono::milliseconds span = long_runs() ? 200s : 18s;
  const std::uint64_t seed = chaos_seed();
  SCOPED_TRACE("STARBUS_SEED=" + std::to_string(seed));
  sim::Random random(seed);

  ChaosRun run({.messages = messages, .span = span});
  run.start();
  // Anywhere in a slot each: two may follow one another closely, but not all at once. The span
  // begins and ends with traffic that nobody disturbs.
  const auto slot = span / (kills + 2);
  for (int kill = 1; kill <= kills; ++kill) {
    const auto within = random.below(static_cast<std::uint64_t>(slot.count()));
    run.sleep_until(kill * slot + std::chrono::milliseconds(within));
    const std::string names[] = {"root", "a", "b", "c"};
    run.kill_daemon(names[random.below(4)]);
  }
  EXPECT_TRUE(run.settle(20s));

  const Verdict verdict = judge(run.board());
  EXPECT_TRUE(verdict.sound()) << verdict.to_string();
  EXPECT_GE(verdict.sent, messages);
  EXPECT_EQ(verdict.handled, verdict.sent);
  EXPECT_TRUE(verdict.failures.empty()) << verdict.to_string();
  const Stalls stalls(run.board(), run.blows());
  if (long_runs()) {
    EXPECT_LE(stalls.at(0.99), 1s) << stalls.to_string();
    EXPECT_LE(stalls.worst(), 2s) << stalls.to_string();
  }
  std::cout << verdict.to_string() << "\n" << stalls.to_string() << std::flush;
}

}  // namespace
}  // namespace starbus::cluster_test
