// The product's links in a world of homes, gates, accounts and clients on the model of the bus:
// random runs, and the cases of cases/. STARBUS_LONG=1 (scripts/test --long) runs many more seeds,
// from STARBUS_SEED on; STARBUS_TRACE=1 prints what the bus delivers.
#include <cstdlib>

#include "tests/entity/client/cases/session_case.hpp"
#include "tests/entity/client/sim/model_bus.hpp"
#include "tests/places.hpp"

namespace starbus::entity::sessions::sim {

std::unique_ptr<SessionBus> make_case_bus(std::uint64_t seed) {
  return std::make_unique<ModelBus>(seed);
}
std::vector<std::uint64_t> case_seeds() {
  return {1, 2, 3, 4, 5, 6, 7, 8};
}

namespace {

constexpr int kSteps = 1500;
constexpr int kLongSteps = 6000;  // of some of the long runs

/// Empty: no promise was broken.
std::string run_seed(std::uint64_t seed, bool deaths, std::map<std::string, int>& count) {
  std::FILE* const trace = std::getenv("STARBUS_TRACE") != nullptr ? stderr : nullptr;  // NOLINT
  World world(std::make_unique<ModelBus>(seed, trace), seed, "", deaths);
  try {
    world.run(long_runs() && seed % 4 == 0 ? kLongSteps : kSteps);
    world.heal();
  } catch (const Violation& violation) {
    return violation.what();
  }
  for (const auto& [what, times] : world.oracle.count) count[what] += times;
  return {};
}

/// Many seeds; what must happen for them to mean anything has happened often.
void run_seeds(int most, bool deaths) {
  const char* const given = std::getenv("STARBUS_SEED");  // NOLINT: one thread
  const std::uint64_t first = given != nullptr ? std::strtoull(given, nullptr, 10) : 1;
  if (long_runs()) most *= 20;
  std::map<std::string, int> count;
  for (std::uint64_t seed = first; seed < first + static_cast<std::uint64_t>(most); ++seed) {
    EXPECT_EQ(run_seed(seed, deaths, count), "") << "seed " << seed;
  }
  for (const char* happened :
       {"shown", "updates shown", "begun", "moves", "hand-overs", "switches", "fate: reply"}) {
    EXPECT_GT(count[happened], most) << happened;
  }
  if (deaths) {
    EXPECT_GT(count["rollbacks"], 5);
    EXPECT_GT(count["gates upgraded"], most / 5);
    EXPECT_GT(count["sought"], most / 5);
  }
}

TEST(SessionSim, EveryPromiseHoldsWhileNobodyDies) {
  run_seeds(25, false);
}

TEST(SessionSim, EveryPromiseHoldsThroughDeaths) {
  run_seeds(25, true);
}

INSTANTIATE_TEST_SUITE_P(Orders, SessionCase, ::testing::ValuesIn(case_seeds()));

}  // namespace
}  // namespace starbus::entity::sessions::sim
