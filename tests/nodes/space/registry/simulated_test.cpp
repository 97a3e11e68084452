/// The promises of the registry under everything that a seed can do to a cluster.
#include <gtest/gtest.h>

#include "tests/nodes/space/registry/simulated_cluster.hpp"
#include "tests/places.hpp"

namespace starbus::nodes::space {
namespace {

sim::Seen play(sim::Options options, std::uint64_t seeds) {
  if (long_runs()) seeds *= 20;
  sim::Seen all;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    options.seed = seed;
    sim::Cluster cluster(options);
    const std::string broken = cluster.run();
    EXPECT_EQ(broken, "") << "seed " << seed;
    const sim::Seen& seen = cluster.seen();
    all.granted += seen.granted;
    all.refused += seen.refused;
    all.arrived += seen.arrived;
    all.created += seen.created;
    all.failed += seen.failed;
    all.services += seen.services;
    all.deaths += seen.deaths;
    all.teams += seen.teams;
    for (const auto& [code, count] : seen.reasons) all.reasons[code] += count;
    if (!broken.empty()) break;
  }
  return all;
}

TEST(RegistrySim, EveryPromiseHoldsThroughDeathsStallsAndFailures) {
  const auto seen = play({}, 3);
  EXPECT_GT(seen.granted, 100U);
  EXPECT_GT(seen.refused, 10U);
  EXPECT_GT(seen.arrived, 100U);
  EXPECT_GT(seen.teams, 10U);
  EXPECT_GT(seen.created, 20U);
  EXPECT_GT(seen.failed, 2U);
  EXPECT_GT(seen.deaths, 0U);
  EXPECT_GT(seen.services, 3U);
}

TEST(RegistrySim, NoNameIsOrderedTwiceWhileNoNodeIsSilent) {
  const auto seen = play({.stalls = false}, 3);
  EXPECT_GT(seen.created, 20U);
  EXPECT_GT(seen.services, 3U);
  EXPECT_GT(seen.deaths, 0U);
}

TEST(RegistrySim, InAQuietClusterEachSpaceStarts) {
  auto seen = play({.deaths = false, .services_die = false, .stalls = false, .failures = false}, 1);
  EXPECT_GT(seen.granted, 50U);
  EXPECT_EQ(seen.reasons[Errc::create_failed], 0U);
  EXPECT_EQ(seen.reasons[Errc::no_node], 0U);
}

}  // namespace
}  // namespace starbus::nodes::space
