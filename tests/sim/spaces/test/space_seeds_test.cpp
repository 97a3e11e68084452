// Seeds of players who travel in the simulator: see spaces_run.hpp. More with starbus-sim-spaces.
#include <gtest/gtest.h>

#include "tests/sanitized.hpp"
#include "tests/sim/spaces/spaces_run.hpp"

namespace starbus::sim {
namespace {

TEST(SpaceSeeds, EachPlayerIsInOnePlaceAndItsClientHasOneStream) {
  std::map<std::string, std::uint64_t> counts;
  for (std::uint64_t seed = 0; seed < whole_or(8U, 4U); ++seed) {
    const SpacesRunResult result = run_spaces({.seed = seed, .steps = 600});
    EXPECT_EQ(result.violation, "") << "seed " << seed;
    for (const auto& [what, count] : result.counts) counts[what] += count;
  }
  for (const char* const happened :
       {"travels: ok", "moves given up", "told", "heard", "scenes", "sessions resumed",
        "spaces ended", "nodes drained", "deaths", "busd_crashes"}) {
    EXPECT_GT(counts[happened], 0U) << happened;
  }
}

/// Of the track record; as they were found.
TEST(SpaceSeeds, ThoseThatHadAViolationHaveNoneAnyMore) {
  for (const std::uint64_t seed :
       {91U, 421U, 489U, 1018U, 1319U, 10138U, 20019U, 20030U, 30120U, 30125U}) {
    EXPECT_EQ(run_spaces({.seed = seed}).violation, "") << "seed " << seed;
  }
}

TEST(SpaceSeeds, ASeedDecidesEverything) {
  const SpacesRunResult once = run_spaces({.seed = 6, .steps = 200});
  EXPECT_EQ(once.fingerprint, run_spaces({.seed = 6, .steps = 200}).fingerprint);
  EXPECT_NE(once.fingerprint, run_spaces({.seed = 7, .steps = 200}).fingerprint);
}

}  // namespace
}  // namespace starbus::sim
