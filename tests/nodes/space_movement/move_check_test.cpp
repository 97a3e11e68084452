/// Speeds, bounds, modes and ways of players.
#include "nodes/space/movement/move_check.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

#include "aoi/limits.hpp"
#include "tests/nodes/space_movement/honest_client.hpp"

namespace starbus::nodes::movement {
namespace {

using MoveCheckSpeed = MoveCheckTest;
using MoveCheckPlaces = MoveCheckTest;

TEST(MoveCheck, RefusesToBeginOutside) {
  const MoveRules rules = walking_rules();
  Locomotion start;
  start.position.x = 1001;
  EXPECT_EQ(MoveCheck::create(rules, start, 1, 0).error(), MoveErrc::outside);
  start.position.x = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(MoveCheck::create(rules, start, 1, 0).error(), MoveErrc::not_finite);
  MoveRules none = rules;
  none.modes.clear();
  EXPECT_EQ(MoveCheck::create(none, {}, 1, 0).error(), MoveErrc::bad_option);
}

TEST_F(MoveCheckSpeed, FullSpeedIsAcceptedForAnHour) {
  for (int now = 50; now <= 3'600'000; now += 50) {
    const double back = now / 50 % 4000 < 2000 ? 1 : -1;
    ASSERT_EQ(take(walk(back * 0.25, 50), now).verdict, Verdict::accepted) << now;
  }
}

// What it uses too much comes out of the allowance: 500 ms, less the 50 of its first step, at 4 %
// (5 % less the tolerance).
TEST(MoveCheck, AFivePercentSpeedHackIsFoundInThirteenSeconds) {
  const auto found_after = [](double speed) -> int {
    const MoveRules rules = walking_rules();
    MoveCheck check = *MoveCheck::create(rules, {}, 1, 0);
    MoveReport report{1, 0, 0, {}};
    double x = 0;
    for (int now = 50; now < 100'000; now += 50) {
      x += speed * 5 * 0.05;
      ++report.number;
      report.client_ms += 50;
      report.move.position.x = static_cast<float>(x);
      const auto judged = check.take(report, now);
      if (judged && judged->violation == Violation::too_fast) return now;
    }
    return -1;
  };
  EXPECT_EQ(found_after(1.0), -1);
  EXPECT_EQ(found_after(1.009), -1);  // within the tolerance
  EXPECT_GT(found_after(1.05), 11'000);
  EXPECT_LE(found_after(1.05), 13'000);
  EXPECT_LE(found_after(1.5), 1'100);
  EXPECT_LE(found_after(4), 200);
}

TEST_F(MoveCheckSpeed, ABunchWithinTheAllowancePasses) {
  EXPECT_EQ(take(walk(0, 50), 0).verdict, Verdict::accepted);
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(take(walk(0.25, 50), 500).verdict, Verdict::accepted) << i;
  }
  EXPECT_FLOAT_EQ(x(), 2.5F);
}

TEST(MoveCheck, ABunchAfterTheAllowanceIsCorrected) {
  const MoveRules rules = walking_rules();
  MoveCheck check = *MoveCheck::create(rules, {}, 1, 0);
  // One report for 1.2 s of walking, after a silence: of that, 0.5 s and the tolerance are there.
  MoveReport report{1, 1, 0, {}};
  report.move.position.x = 6;
  const auto judged = check.take(report, 1200);
  ASSERT_TRUE(judged);
  EXPECT_EQ(judged->violation, Violation::too_fast);
  EXPECT_EQ(check.credit(), static_cast<double>(kJitterAllowance.count()));
}

TEST_F(MoveCheckSpeed, HeightsHaveSpeedsOfTheirOwn) {
  MoveReport up = walk(0, 50);
  up.move.position.z = 3;  // a second of climbing
  EXPECT_EQ(take(up, 50).violation, Violation::too_fast);
  MoveReport down = walk(0, 50);
  down.epoch = 2;
  down.move.position.z = -3;
  EXPECT_EQ(take(down, 100).verdict, Verdict::accepted);
}

TEST_F(MoveCheckSpeed, TheFasterModeCountsWhereModesChange) {
  MoveReport flies = walk(4, 200);
  flies.move.mode = 1;
  EXPECT_EQ(take(flies, 200).verdict, Verdict::accepted);
  EXPECT_EQ(take(walk(4, 200), 400).verdict, Verdict::accepted);  // it has landed meanwhile
  EXPECT_EQ(take(walk(4, 200), 600).violation, Violation::too_fast);
}

TEST_F(MoveCheckSpeed, AFasterSpeedCountsAtOnce) {
  ASSERT_TRUE(check_.set_factor(2, 0));
  for (int now = 50; now <= 5000; now += 50) {
    ASSERT_EQ(take(walk(0.5, 50), now).verdict, Verdict::accepted) << now;
  }
}

TEST(MoveCheck, ASlowerSpeedCountsAfterTheGrace) {
  const MoveRules rules = walking_rules();
  MoveCheck check = *MoveCheck::create(rules, {}, 1, 0);
  ASSERT_TRUE(check.set_factor(0, 0));
  MoveReport report{1, 0, 0, {}};
  int corrected = -1;
  for (int now = 50; now < 5000 && corrected < 0; now += 50) {
    ++report.number;
    report.client_ms += 50;
    report.move.position.x += 0.25F;
    if (check.take(report, now)->verdict == Verdict::corrected) corrected = now;
  }
  EXPECT_EQ(corrected, kSpeedGrace.count());  // held fast: not even the allowance helps
  // One that stays where it is has nothing to fear.
  report.epoch = check.epoch();
  ++report.number;
  report.client_ms += 50;
  report.move.position = check.state().position;
  EXPECT_EQ(check.take(report, 1100)->verdict, Verdict::accepted);
}

TEST(MoveCheck, ASlowerSpeedThatIsGivenAgainHasOneGrace) {
  const MoveRules rules = walking_rules();
  MoveCheck check = *MoveCheck::create(rules, {}, 1, 0);
  MoveReport report{1, 0, 0, {}};
  int corrected = -1;
  for (int now = 0; now < 5000 && corrected < 0; now += 50) {
    if (now % 500 == 0) {
      ASSERT_TRUE(check.set_factor(now % 1000 == 0 ? 0 : 0.01, now));
    }
    ++report.number;
    report.client_ms += 50;
    report.move.position.x += now == 0 ? 0 : 0.25F;
    if (check.take(report, now)->verdict == Verdict::corrected) corrected = now;
  }
  EXPECT_EQ(corrected, kSpeedGrace.count());
}

TEST(MoveCheck, RefusesFactorsThatAreNone) {
  const MoveRules rules = walking_rules();
  MoveCheck check = *MoveCheck::create(rules, {}, 1, 0);
  EXPECT_TRUE(check.set_factor(static_cast<double>(kMaxFactor), 0));
  EXPECT_EQ(check.set_factor(kMaxFactor + 1.0, 0).error(), MoveErrc::bad_option);
  EXPECT_EQ(check.set_factor(-1, 0).error(), MoveErrc::bad_option);
  EXPECT_EQ(check.set_factor(std::nan(""), 0).error(), MoveErrc::bad_option);
}

TEST_F(MoveCheckPlaces, ValuesThatAreNoPlaceAreErrors) {
  MoveReport report = walk(0.1, 50);
  report.move.position.y = std::numeric_limits<float>::infinity();
  EXPECT_EQ(check_.take(report, 50).error(), MoveErrc::not_finite);
  report.move.position.y = static_cast<float>(aoi::kMaxCoordinate) * 2;
  EXPECT_EQ(check_.take(report, 50).error(), MoveErrc::too_far);
  EXPECT_EQ(check_.suspicion().count(Violation::malformed), 2U);
  report.move.position.y = 0;
  EXPECT_EQ(take(report, 50).verdict, Verdict::accepted);  // under the same number
}

TEST_F(MoveCheckPlaces, TheBorderBelongsToTheSpace) {
  ASSERT_TRUE(check_.teleport({999.9F, 0, 0}, 0));
  last_.epoch = check_.epoch();
  MoveReport report = walk(0, 50);
  report.move.position = {1000, 0, 0};
  EXPECT_EQ(take(report, 50).verdict, Verdict::accepted);
  report = walk(0, 50);
  report.move.position = {1000.01F, 0, 0};
  EXPECT_EQ(take(report, 100).violation, Violation::outside);
  EXPECT_EQ(x(), 1000);
}

TEST_F(MoveCheckPlaces, ModesThatTheRulesDoNotHaveAreCorrected) {
  MoveReport report = walk(0, 50);
  report.move.mode = 2;
  EXPECT_EQ(take(report, 50).violation, Violation::bad_mode);
  EXPECT_EQ(check_.state().mode, 0);
}

TEST_F(MoveCheckPlaces, TheGameSaysWhereAWallIs) {
  rules_.may_go = [](const Position& from, const Position& to, std::uint8_t mode) {
    return mode == 1 || (from.x < 1) == (to.x < 1);
  };
  EXPECT_EQ(take(walk(0.9, 300), 300).verdict, Verdict::accepted);
  const Judged judged = take(walk(0.2, 50), 350);
  EXPECT_EQ(judged.violation, Violation::blocked);
  ASSERT_TRUE(judged.correction);
  EXPECT_FLOAT_EQ(judged.correction->move.position.x, 0.9F);
  EXPECT_EQ(judged.correction->number, last_.number);
  EXPECT_FALSE(judged.correction->teleport);
}

TEST_F(MoveCheckPlaces, TheGameSaysWhoMayFly) {
  rules_.may_go = [](const Position&, const Position&, std::uint8_t mode) { return mode == 0; };
  MoveReport report = walk(0, 50);
  report.move.mode = 1;  // though it stays where it is
  EXPECT_EQ(take(report, 50).violation, Violation::blocked);
  EXPECT_EQ(check_.state().mode, 0);
}

TEST_F(MoveCheckPlaces, WhatTheGamesTestThrowsMovesNobody) {
  rules_.may_go = [](const Position&, const Position&, std::uint8_t) -> bool {
    throw std::runtime_error("no map");
  };
  EXPECT_THROW((void)check_.take(walk(0.2, 50), 50), std::runtime_error);
  EXPECT_EQ(x(), 0);
  rules_.may_go = {};
  EXPECT_EQ(take(walk(0.1, 50), 100).verdict, Verdict::accepted);
}

TEST_F(MoveCheckPlaces, ALyingVelocityIsCut) {
  MoveReport report = walk(0.1, 50);
  report.move.velocity = {300, 400, 100};
  EXPECT_EQ(take(report, 50).verdict, Verdict::accepted);
  const Velocity& v = check_.state().velocity;
  EXPECT_NEAR(std::hypot(v.x, v.y), 5, 0.06);
  EXPECT_NEAR(v.y / v.x, 4.0 / 3, 1e-4);
  EXPECT_NEAR(v.z, 3, 0.04);
}

}  // namespace
}  // namespace starbus::nodes::movement
