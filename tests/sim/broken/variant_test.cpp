// Every broken variant is caught: at its seed, and by the scenario of its rule.
#include <gtest/gtest.h>

#include "tests/sim/script.hpp"
#include "tests/sim/simulation.hpp"
#include "tests/sim/variants.hpp"

namespace starbus::sim {

void PrintTo(const Variant& variant, std::ostream* out) {
  *out << variant.name;
}

namespace {

class VariantTest : public testing::TestWithParam<Variant> {};

/// A change of the core moves what seeds do: then a neighbour may catch it, and the seed in
/// variants.cpp should be renewed.
TEST_P(VariantTest, IsCaughtAtItsSeed) {
  if (GetParam().within == 0) GTEST_SKIP() << "too rare: its scenario forces it";
  RunOptions options;
  options.seed = GetParam().seed;
  options.profile = *find_profile(GetParam().profile);
  EXPECT_EQ(run_seed(options).violation, "") << "sound, this seed must pass";
  const Broken broken(GetParam().sabotage);
  const std::uint64_t end = options.seed + GetParam().within;
  while (options.seed < end && run_seed(options).violation.empty()) ++options.seed;
  EXPECT_LT(options.seed, end) << GetParam().meaning;
  RecordProperty("seed", std::to_string(options.seed));
}

TEST_P(VariantTest, IsCaughtByItsScenario) {
  if (GetParam().scenario.empty()) GTEST_SKIP() << "no scenario forces it";
  const auto scenarios = all_scenarios();
  const auto scenario = std::ranges::find(scenarios, GetParam().scenario, &Scenario::name);
  ASSERT_NE(scenario, scenarios.end());
  EXPECT_NO_THROW(scenario->run(nullptr)) << "sound, the scenario must pass";
  const Broken broken(GetParam().sabotage);
  EXPECT_THROW(scenario->run(nullptr), Violation) << GetParam().meaning;
}

INSTANTIATE_TEST_SUITE_P(Broken, VariantTest, testing::ValuesIn(all_variants()),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace starbus::sim
