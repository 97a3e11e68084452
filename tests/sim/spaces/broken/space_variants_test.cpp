// Each broken variant of a travel is noticed within a few seeds.
#include <gtest/gtest.h>

#include "tests/sim/spaces/broken/rules.hpp"
#include "tests/sim/spaces/spaces_run.hpp"

namespace starbus::sim {
namespace {

struct SpaceRule {
  const char* name;
  BrokenTravel rule;
  std::uint64_t within;     // seeds
  std::uint64_t first = 0;  // of these
};

class SpaceVariants : public testing::TestWithParam<SpaceRule> {};

TEST_P(SpaceVariants, IsNoticed) {
  broken_travel = GetParam().rule;
  std::string violation;
  std::uint64_t seeds = 0;
  for (; seeds < GetParam().within && violation.empty(); ++seeds) {
    violation = run_spaces({.seed = GetParam().first + seeds, .steps = 600}).violation;
  }
  broken_travel = BrokenTravel::none;
  EXPECT_NE(violation, "") << "not within " << GetParam().within << " seeds";
  RecordProperty("violation", violation);
  RecordProperty("seeds", static_cast<int>(seeds));
}

INSTANTIATE_TEST_SUITE_P(
    Broken, SpaceVariants,
    testing::Values(
        SpaceRule{"frees_before_confirmed", BrokenTravel::frees_before_confirmed, 16},
        SpaceRule{"stays_frozen", BrokenTravel::stays_frozen, 8},
        SpaceRule{"comes_back_as_the_latest", BrokenTravel::comes_back_as_the_latest, 40, 20'134},
        SpaceRule{"vanishes_when_it_moves", BrokenTravel::vanishes_when_it_moves, 8},
        SpaceRule{"seat_is_kept", BrokenTravel::seat_is_kept, 8},
        SpaceRule{"seats_are_not_counted", BrokenTravel::seats_are_not_counted, 8},
        SpaceRule{"newcomers_while_draining", BrokenTravel::newcomers_while_draining, 16},
        SpaceRule{"drain_forgets_arrivals", BrokenTravel::drain_forgets_arrivals, 16},
        SpaceRule{"stream_begins_again", BrokenTravel::stream_begins_again, 8},
        SpaceRule{"scene_number_stays", BrokenTravel::scene_number_stays, 8},
        SpaceRule{"news_before_enter", BrokenTravel::news_before_enter, 8},
        SpaceRule{"leave_is_lost", BrokenTravel::leave_is_lost, 8}),
    [](const auto& rule) { return std::string(rule.param.name); });

/// The same copy with no rule broken is sound.
TEST(SpaceVariantsNone, IsSound) {
  EXPECT_EQ(run_spaces({.seed = 0, .steps = 600}).violation, "");
}

}  // namespace
}  // namespace starbus::sim
