// Links between hosts and busroot that are slow, cut, half open, reset: nothing is lost.
#include <gtest/gtest.h>

#include <array>
#include <iostream>
#include <memory>

#include "tests/cluster/chaos/chaos_run.hpp"
#include "tests/cluster/chaos/relay.hpp"
#include "tests/cluster/chaos/verdict.hpp"
#include "tests/places.hpp"
#include "tests/sim/random.hpp"

namespace starbus::cluster_test {
namespace {

using namespace std::chrono_literals;

class ChaosNetwork : public ::testing::Test {
 protected:
  ChaosNetwork() : root_port_(free_port()) {
    options_.cluster.root_port = root_port_;
    for (std::uint32_t host = 0; host < kHosts; ++host) {
      relays_[host] = std::make_unique<Relay>(root_port_);
      options_.cluster.detours[Board::host_name(host)] =
          "127.0.0.1:" + std::to_string(relays_[host]->port());
    }
  }

  void mend() {
    for (const auto& relay : relays_) {
      relay->set(Relay::Mode::pass);
      relay->delay(0ms);
    }
  }

  static void expect_exact(ChaosRun& run) {
    EXPECT_TRUE(run.settle(30s));
    const Verdict verdict = judge(run.board());
    std::cout << verdict.to_string() << std::endl;
    EXPECT_TRUE(verdict.sound()) << verdict.to_string();
    EXPECT_EQ(verdict.handled, verdict.sent);
    EXPECT_TRUE(verdict.failures.empty()) << verdict.to_string();
  }

  const int root_port_;
  ChaosOptions options_;
  std::array<std::unique_ptr<Relay>, kHosts> relays_;
};

TEST_F(ChaosNetwork, DelaysCutsAndResetsLoseNothing) {
  const std::uint64_t seed = chaos_seed();
  SCOPED_TRACE("STARBUS_SEED=" + std::to_string(seed));
  sim::Random random(seed);
  options_.span = long_runs() ? 120s : 8s;
  options_.messages = long_runs() ? 3'000'000 : 60'000;
  ChaosRun run(options_);
  run.start();
  for (std::chrono::milliseconds at = 500ms; at < options_.span - 500ms;
       at += std::chrono::milliseconds(random.between(50, 500))) {
    run.sleep_until(at);
    Relay& relay = *relays_[random.below(kHosts)];
    switch (random.below(5)) {
      case 0:
        relay.delay(std::chrono::milliseconds(random.below(200)));
        break;
      case 1:
        relay.set(Relay::Mode::refuse);
        relay.reset();
        break;
      case 2:
        relay.set(Relay::Mode::swallow);
        break;
      case 3:
        relay.reset();
        break;
      default:
        mend();
        relay.reset();
    }
  }
  mend();
  for (const auto& relay : relays_) relay->reset();
  expect_exact(run);
}

/// Nobody is told that the connection is dead: both ends must find out by the silence of 10 s.
TEST_F(ChaosNetwork, AHalfOpenLinkIsNoticedAndReplaced) {
  options_.span = 11s;
  options_.messages = 40'000;
  ChaosRun run(options_);
  run.start();
  run.sleep_until(500ms);
  const auto before = relays_[0]->connections();
  relays_[0]->set(Relay::Mode::swallow);
  run.sleep_until(1s);
  mend();
  expect_exact(run);
  EXPECT_GT(relays_[0]->connections(), before);
}

}  // namespace
}  // namespace starbus::cluster_test
