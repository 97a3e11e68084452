// Seeds of moves of entities in the simulator: see entity_run.hpp. More with starbus-sim-entities.
#include <gtest/gtest.h>

#include "tests/sim/entities/entity_run.hpp"

namespace starbus::sim {
namespace {

TEST(EntitySeeds, TheWorldStaysWholeAndEachJobRunsOnce) {
  std::map<std::string, std::uint64_t> ends;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const EntityRunResult result = run_entities({.seed = seed, .steps = 600});
    EXPECT_EQ(result.violation, "") << "seed " << seed;
    for (const auto& [end, count] : result.counts) ends[end] += count;
  }
  EXPECT_GT(ends["moved"], 50U);
  EXPECT_GT(ends["move_refused"], 0U);
}

TEST(EntitySeeds, ASeedDecidesEverything) {
  const EntityRunResult once = run_entities({.seed = 7, .steps = 300});
  EXPECT_EQ(once.fingerprint, run_entities({.seed = 7, .steps = 300}).fingerprint);
  EXPECT_NE(once.fingerprint, run_entities({.seed = 8, .steps = 300}).fingerprint);
}

}  // namespace
}  // namespace starbus::sim
