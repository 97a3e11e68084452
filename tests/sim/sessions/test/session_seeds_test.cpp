// Seeds and scripted cases of client sessions on the real bus: see joined_run.hpp. More with
// starbus-sim-sessions.
#include "tests/entity/client/cases/session_case.hpp"
#include "tests/sanitized.hpp"
#include "tests/sim/sessions/joined_bus.hpp"
#include "tests/sim/sessions/joined_run.hpp"

namespace starbus::entity::sessions::sim {

std::unique_ptr<SessionBus> make_case_bus(std::uint64_t seed) {
  return std::make_unique<starbus::sim::JoinedBus>(starbus::sim::JoinedBus::Options{
      .seed = seed, .deaths = true, .faults = false, .trace = nullptr});
}
std::vector<std::uint64_t> case_seeds() {
  return {1};
}

namespace {

INSTANTIATE_TEST_SUITE_P(OnTheRealBus, SessionCase, ::testing::ValuesIn(case_seeds()));

}  // namespace
}  // namespace starbus::entity::sessions::sim

namespace starbus::sim {
namespace {

/// The seeds up to `last`: in few of those before an account changes its character.
void run_seeds(std::uint64_t most, std::uint64_t last, bool deaths) {
  std::map<std::string, int> counts;
  for (std::uint64_t seed = last - most + 1; seed <= last; ++seed) {
    const JoinedRunResult result = run_joined({.seed = seed, .deaths = deaths});
    EXPECT_EQ(result.violation, "") << "seed " << seed;
    for (const auto& [what, count] : result.counts) counts[what] += count;
  }
  for (const char* const happened : {"shown", "updates shown", "begun", "arrivals", "hand-overs",
                                     "switches", "fate: reply", "busd_crashes", "cut off"}) {
    EXPECT_GT(counts[happened], 0) << happened;
  }
}

TEST(SessionSeeds, EveryPromiseHoldsThroughDeaths) {
  run_seeds(whole_or(7U, 3U), 7, true);
}

TEST(SessionSeeds, EveryPromiseHoldsWhileTheBusAloneFails) {
  run_seeds(whole_or(6U, 3U), 6, false);
}

TEST(SessionSeeds, ASeedDecidesEverything) {
  const JoinedRunResult once = run_joined({.seed = 7, .steps = 150});
  EXPECT_EQ(once.fingerprint, run_joined({.seed = 7, .steps = 150}).fingerprint);
  EXPECT_NE(once.fingerprint, run_joined({.seed = 8, .steps = 150}).fingerprint);
}

}  // namespace
}  // namespace starbus::sim
