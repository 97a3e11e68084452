// One rule of a home, a gate, an account or their shell is broken at a time, and the oracle sees it
// on the real bus. The last ones cannot be seen on the model of the bus: it has neither terms of
// busroot nor leases.
#include <gtest/gtest.h>

#include "tests/entity/client/sim/scene.hpp"
#include "tests/sim/sessions/joined_bus.hpp"
#include "tests/sim/sessions/joined_run.hpp"

namespace starbus::sim {
namespace {

using sessions::Scene;

struct JoinedRule {
  const char* name;
  bool deaths;
  std::uint64_t first, within;  // seeds
};

class SessionRules : public ::testing::TestWithParam<JoinedRule> {};

TEST_P(SessionRules, IsSeenOnTheRealBus) {
  const JoinedRule& rule = GetParam();
  for (std::uint64_t seed = rule.first; seed < rule.first + rule.within; ++seed) {
    const auto result = run_joined({.seed = seed, .deaths = rule.deaths, .broken = rule.name});
    if (!result.violation.empty()) return;
  }
  FAIL() << rule.name << " was not seen in " << rule.within << " runs";
}

INSTANTIATE_TEST_SUITE_P(Broken, SessionRules,
                         ::testing::Values(JoinedRule{"n_stays_behind", false, 1, 6},
                                           JoinedRule{"up_done_stays_behind", false, 1, 6},
                                           JoinedRule{"told_before_stored", true, 1, 6},
                                           JoinedRule{"account_epoch_without_term", true, 1, 6}),
                         [](const auto& rule) { return std::string(rule.param.name); });

/// The gate of c1 stands still for longer than its lease, and goes on then. True: c1 is still on.
bool client_stays_at_a_lost_gate(const std::string& broken) {
  Scene scene(1, broken);
  scene.alone();
  const Pid gate = scene.c1().at();
  scene.say();
  static_cast<JoinedBus&>(scene.world.bus()).lose_lease(gate);
  scene.rest(45);
  const bool stays = scene.c1().on && scene.c1().at().slot == gate.slot;
  scene.end();
  return stays;
}

TEST(SessionLeases, AGateThatLostItsLeaseSendsItsClientsAway) {
  EXPECT_FALSE(client_stays_at_a_lost_gate(""));
  EXPECT_TRUE(client_stays_at_a_lost_gate("gate_fence_forgotten"));
}

/// Another home has the entity meanwhile; the one before wakes up, and is over. Empty: all is well.
std::string home_loses_its_lease(const std::string& broken) {
  Scene scene(2, broken);
  scene.alone();
  const Pid home = scene.e().pid;
  scene.c1().request();
  scene.say();
  static_cast<JoinedBus&>(scene.world.bus()).lose_lease(home);
  scene.rest(60);
  EXPECT_NE(scene.e().pid, home);
  scene.say();
  try {
    scene.end();
  } catch (const sessions::Violation& violation) {
    return violation.what();
  }
  EXPECT_EQ(scene.c1().value, scene.e().value);
  return {};
}

TEST(SessionLeases, AHomeThatLostItsLeaseIsReplaced) {
  EXPECT_EQ(home_loses_its_lease(""), "");
  EXPECT_EQ(home_loses_its_lease("home_fence_forgotten"),
            "P5 left over: player/a/1 acts at two homes");
}

}  // namespace
}  // namespace starbus::sim
