/// Corrections, teleports, reports that are late, and clocks, as MoveCheck sees them.
#include <algorithm>
#include <cmath>
#include <random>

#include "tests/nodes/space_movement/honest_client.hpp"

namespace starbus::nodes::movement {
namespace {

using MoveCheckEpochs = MoveCheckTest;
using MoveCheckTimes = MoveCheckTest;

TEST_F(MoveCheckEpochs, ACorrectionIsToldOnceForAllThatIsUnderWay) {
  const Judged first = take(walk(50, 50), 50);
  ASSERT_TRUE(first.correction);
  EXPECT_EQ(first.correction->epoch, 2U);
  for (int i = 1; i <= 10; ++i) {
    const Judged judged = take(walk(0.25, 50), 50 + i * 50);
    EXPECT_EQ(judged.verdict, Verdict::ignored);
    EXPECT_FALSE(judged.correction);
  }
  EXPECT_EQ(check_.suspicion().count(Violation::too_fast), 1U);
  obey(*first.correction);
  EXPECT_EQ(take(walk(0.25, 50), 600).verdict, Verdict::accepted);
}

TEST(MoveCheck, ACorrectionIsRepeatedInBounds) {
  const MoveRules rules = walking_rules();
  MoveCheck check = *MoveCheck::create(rules, {}, 1, 0);
  const Correction told = *check.teleport({9, 9, 9}, 0);
  MoveReport report{1, 0, 0, {}};  // never hears of it
  std::vector<int> times;
  for (int now = 50; now < 60'000; now += 50) {
    ++report.number;
    report.client_ms += 50;
    const auto judged = check.take(report, now);
    ASSERT_TRUE(judged);
    if (!judged->correction) continue;
    EXPECT_EQ(*judged->correction, told);
    EXPECT_EQ(judged->violation, Violation::deaf);
    times.push_back(now);
  }
  ASSERT_EQ(times.size(), kMaxTellings - 1);
  EXPECT_EQ(times.front(), kCorrectionAgain.count());
  EXPECT_EQ(times.back() - times.front(), 6 * kCorrectionAgain.count());
}

TEST_F(MoveCheckEpochs, ATeleportMakesReportsOfBeforeVoid) {
  const auto told = check_.teleport({100, 0, 0}, 50);
  ASSERT_TRUE(told);
  EXPECT_TRUE(told->teleport);
  EXPECT_EQ(told->move.position.x, 100);
  EXPECT_EQ(check_.state().teleports, 1);
  EXPECT_EQ(take(walk(0.25, 50), 100).verdict, Verdict::ignored);
  EXPECT_EQ(x(), 100);
  obey(*told);
  EXPECT_EQ(take(walk(0.25, 50), 150).verdict, Verdict::accepted);
  EXPECT_EQ(check_.state().teleports, 1);
  EXPECT_EQ(check_.suspicion().level(150), 0);
}

TEST_F(MoveCheckEpochs, TeleportsStayWithinTheSpace) {
  EXPECT_EQ(check_.teleport({0, 0, 501}, 0).error(), MoveErrc::outside);
  EXPECT_EQ(check_.teleport({0, NAN, 0}, 0).error(), MoveErrc::not_finite);
  EXPECT_EQ(check_.epoch(), 1U);
}

TEST_F(MoveCheckEpochs, AnEpochThatHasNotBegunIsForged) {
  MoveReport report = walk(0.25, 50);
  report.epoch = 2;
  EXPECT_EQ(take(report, 50).violation, Violation::forged);
  EXPECT_EQ(x(), 0);
  EXPECT_EQ(check_.suspicion().count(Violation::forged), 1U);
}

// A client that is corrected over a slow line has gone on meanwhile: it makes that way again.
TEST(MoveCheck, TheAllowanceGrowsWhileACorrectionIsUnderWay) {
  const auto accepts = [](int round_trip) {
    const MoveRules rules = walking_rules();
    MoveCheck check = *MoveCheck::create(rules, {}, 1, 0);
    MoveReport report{1, 1, 5000, {}};
    report.move.mode = 9;
    EXPECT_TRUE(check.take(report, 0)->correction);
    report = {2, 50, static_cast<std::uint32_t>(5000 + round_trip), {}};
    report.move.position.x = static_cast<float>(5 * round_trip) / 1000;
    return check.take(report, round_trip)->verdict == Verdict::accepted;
  };
  EXPECT_TRUE(accepts(600));
  EXPECT_TRUE(accepts(2500));  // kAnswerWait and the allowance
  EXPECT_FALSE(accepts(2600));
}

TEST_F(MoveCheckEpochs, ALaterCheckIgnoresWhatWasSaidToTheOneBefore) {
  MoveCheck later = *MoveCheck::create(rules_, check_.state(), check_.epoch() + 1, 0);
  const auto judged = later.take(walk(0.25, 50), 50);
  ASSERT_TRUE(judged);
  EXPECT_EQ(judged->verdict, Verdict::ignored);
  EXPECT_EQ(judged->violation, Violation::none);
}

TEST(MoveCheck, AClientThatBeginsAnewCountsFromOne) {
  const MoveRules rules = walking_rules();
  MoveCheck check = *MoveCheck::create(rules, {}, 1, 0);
  ASSERT_TRUE(check.set_factor(0.5, 0));
  MoveReport report{1, 1'000, 700'000, {}};
  ASSERT_EQ(check.take(report, 50)->verdict, Verdict::accepted);
  check.client_begins(1'000);
  EXPECT_EQ(check.start().epoch, 2U);
  EXPECT_EQ(check.start().number, 0U);
  // What the client before has said comes late, and is of the epoch before.
  ++report.number;
  report.client_ms += 50;
  EXPECT_EQ(check.take(report, 1'010)->verdict, Verdict::ignored);
  const auto first = check.take({2, 1, 40, {}}, 1'050);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->verdict, Verdict::accepted);
  EXPECT_EQ(check.ack(), (MoveAck{2, 1}));
  // The snare that it had holds it all the same.
  MoveReport far{2, 2, 1'040, {}};
  far.move.position.x = 4.9F;
  EXPECT_EQ(check.take(far, 2'050)->verdict, Verdict::corrected);
}

TEST_F(MoveCheckEpochs, AcksAreGivenOnceAndCorrectionsAreAcks) {
  EXPECT_FALSE(check_.ack());
  take(walk(0.1, 50), 50);
  take(walk(0.1, 50), 100);
  EXPECT_EQ(check_.ack(), (MoveAck{1, 2}));
  EXPECT_FALSE(check_.ack());
  ASSERT_EQ(take(walk(99, 50), 150).correction->number, 3U);
  EXPECT_FALSE(check_.ack());
}

TEST_F(MoveCheckTimes, ALateReportIsIgnored) {
  const MoveReport first = walk(0.2, 50);
  const MoveReport second = walk(0.2, 50);
  EXPECT_EQ(take(second, 100).verdict, Verdict::accepted);
  const Judged late = take(first, 110);
  EXPECT_EQ(late.verdict, Verdict::ignored);
  EXPECT_EQ(late.violation, Violation::none);
  EXPECT_FLOAT_EQ(x(), 0.4F);
  EXPECT_EQ(take(second, 120).verdict, Verdict::ignored);  // it came twice
}

TEST_F(MoveCheckTimes, NumbersWrap) {
  last_.number = 0x7fffffff - 1;
  EXPECT_EQ(take(walk(0, 50), 50).verdict, Verdict::accepted);
  last_.number = 0xfffffffe - 1;
  EXPECT_EQ(take(walk(0, 50), 100).verdict, Verdict::accepted);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(take(walk(0, 50), 150 + 50 * i).verdict, Verdict::accepted);
  }
  EXPECT_EQ(last_.number, 2U);
}

TEST_F(MoveCheckTimes, AClockThatGoesBackIsCorrected) {
  EXPECT_EQ(take(walk(0.1, 50), 50).verdict, Verdict::accepted);
  EXPECT_EQ(take(walk(0.1, 0xffffffc0), 100).violation, Violation::clock);
  EXPECT_FLOAT_EQ(x(), 0.1F);
}

TEST_F(MoveCheckTimes, AClockThatIsTooFastIsCorrectedThoughThePlayerStands) {
  int found = 0;
  for (int now = 50; now < 14'000 && found == 0; now += 20) {
    if (take(walk(0, 21), now).violation == Violation::clock) found = now;
  }
  EXPECT_GT(found, 10'000);
}

TEST(MoveCheck, AFloodIsIgnoredAndCounted) {
  const MoveRules rules = walking_rules();
  MoveCheck check = *MoveCheck::create(rules, {}, 1, 0);
  int looked_at = 0;
  MoveReport report{1, 0, 0, {}};
  for (int now = 0; now < 10'000; ++now) {  // one each ms
    ++report.number;
    ++report.client_ms;
    if (check.take(report, now)->violation != Violation::flood) ++looked_at;
  }
  EXPECT_NEAR(looked_at, 11 * static_cast<int>(kReportsPerSecond), 2);
  EXPECT_EQ(check.suspicion().count(Violation::flood), 10'000U - static_cast<unsigned>(looked_at));
}

// Otherwise observers would show the jitter of the player's own line.
TEST_F(MoveCheckTimes, TheTimeOfAMoveIsFreeOfJitter) {
  std::minstd_rand random(7);
  std::uint32_t before = 0;
  int now = 0;
  for (int sent = 50; sent < 20'000; sent += 50) {
    now = std::max(now, sent + 30 + static_cast<int>(random() % 200));
    if (take(walk(0.01, 50), now).verdict != Verdict::accepted) continue;
    const std::uint32_t at = check_.state().at;
    if (sent > 2000) {
      EXPECT_NEAR(at, sent + 30, 15);
    }
    EXPECT_LE(at, static_cast<std::uint32_t>(now));
    EXPECT_GE(at, before);
    before = at;
  }
}

}  // namespace
}  // namespace starbus::nodes::movement
