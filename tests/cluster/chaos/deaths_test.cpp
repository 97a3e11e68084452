// Nodes are killed and begin a new life, and daemons with them: whatever senders were told is true,
// and of what the dead have sent, a prefix was handled.
#include <gtest/gtest.h>

#include <iostream>
#include <thread>

#include "tests/cluster/chaos/chaos_run.hpp"
#include "tests/cluster/chaos/verdict.hpp"
#include "tests/places.hpp"
#include "tests/sim/random.hpp"

namespace starbus::cluster_test {
namespace {

using namespace std::chrono_literals;

TEST(ChaosDeaths, EveryFailureIsTrueAndTheDeadLeaveAPrefix) {
  const std::chrono::milliseconds span = long_runs() ? 120s : 12s;
  const std::uint32_t messages = long_runs() ? 3'000'000 : 100'000;
  const std::uint64_t seed = chaos_seed();
  SCOPED_TRACE("STARBUS_SEED=" + std::to_string(seed));
  sim::Random random(seed);

  ChaosRun run({.messages = messages, .span = span});
  run.start();
  int deaths = 0;
  for (std::chrono::milliseconds at = 1s; at < span - 1s;
       at += std::chrono::milliseconds(random.between(200, 1000))) {
    run.sleep_until(at);
    const auto node = static_cast<std::uint32_t>(random.below(kNodes));
    const std::string host = Board::host_name(Board::host_of(node));
    const auto what = random.below(4);
    if (what == 0) run.kill_daemon(random.below(2) == 0 ? "root" : host);
    if (what == 0 || run.board().node(node).life + 1 >= kMaxLives) continue;
    // With its busd standing still, what the node has sent is on the way when it dies.
    Daemon& busd = run.cluster().busd(host);
    if (what == 1) {
      busd.stop();
      std::this_thread::sleep_for(50ms);
    }
    run.kill_node(node, std::chrono::milliseconds(what == 1 ? 0 : random.below(300)));
    if (what == 1) busd.cont();
    ++deaths;
  }
  EXPECT_TRUE(run.settle(30s));

  const Verdict verdict = judge(run.board());
  std::cout << deaths << " deaths: " << verdict.to_string() << std::endl;
  EXPECT_TRUE(verdict.sound()) << verdict.to_string();
  for (const auto& [reason, count] : verdict.failures) {
    EXPECT_TRUE(reason == "no_owner" || reason == "owner_lost") << count << " " << reason;
  }
  // Otherwise the run has shown nothing.
  EXPECT_FALSE(verdict.failures.empty());
  EXPECT_GT(verdict.orphans, 0U);
}

}  // namespace
}  // namespace starbus::cluster_test
