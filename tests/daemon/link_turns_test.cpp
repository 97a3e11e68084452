// The time of a daemon's loop is shared by users.
#include "daemon/link_turns.hpp"

#include <gtest/gtest.h>

#include "bus/io/limits.hpp"

namespace starbus::daemon {
namespace {

using bus::io::kLoopFree;
using bus::io::kLoopMemory;

constexpr auto kLoopTurn = LinkTurns::kTurn;

constexpr LinkTurns::User kHonest = 1'001;
constexpr LinkTurns::User kGreedy = 1'002;

class LinkTurnsTest : public ::testing::Test {
 protected:
  LinkTurnsTest() {
    turns.join(kHonest);
    for (int link = 0; link < 3; ++link) turns.join(kGreedy);
  }
  bool begin(LinkTurns::User user, bus::LinkId link) { return turns.begin(user, link, now); }
  /// The bundles of a link take as long as a user may have at once; false if it must wait.
  bool serve(LinkTurns::User user, bus::LinkId link) {
    if (!begin(user, link)) return false;
    now += kLoopFree;
    turns.spend(user, kLoopFree, now);
    return true;
  }

  LinkTurns turns;
  LinkTurns::Clock::time_point now{std::chrono::hours(1)};
};

TEST_F(LinkTurnsTest, WhoUsesLittleIsServedAtOnce) {
  EXPECT_TRUE(serve(kGreedy, 11));
  EXPECT_TRUE(turns.is_over(kGreedy));
  EXPECT_FALSE(begin(kGreedy, 11));
  EXPECT_FALSE(begin(kGreedy, 12));
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(begin(kHonest, 1));
    now += kLoopTurn / 50;
    turns.spend(kHonest, kLoopTurn / 100, now);
    EXPECT_FALSE(turns.is_over(kHonest));
  }
}

TEST_F(LinkTurnsTest, ATurnEnds) {
  EXPECT_TRUE(begin(kGreedy, 11));
  for (int part = 0; part < 4; ++part) {
    EXPECT_FALSE(turns.is_over(kGreedy));
    now += kLoopTurn / 4;
    turns.spend(kGreedy, kLoopTurn / 4, now);
  }
  EXPECT_TRUE(turns.is_over(kGreedy));
  EXPECT_EQ(turns.used(kGreedy), kLoopTurn);
  EXPECT_EQ(turns.used(kHonest), LinkTurns::Clock::duration{});
}

TEST_F(LinkTurnsTest, WhoWaitsGetsATurnWhenTheLoopIsFree) {
  EXPECT_FALSE(turns.somebody_waits());
  EXPECT_TRUE(serve(kGreedy, 11));
  EXPECT_FALSE(begin(kGreedy, 12));
  EXPECT_FALSE(begin(kGreedy, 13));
  EXPECT_TRUE(turns.somebody_waits());
  EXPECT_EQ(turns.next(now), 12u) << "who waits longest";
  EXPECT_TRUE(serve(kGreedy, 12));
  EXPECT_EQ(turns.next(now), 13u);
  EXPECT_FALSE(begin(kGreedy, 11)) << "only the one that was called";
  EXPECT_TRUE(serve(kGreedy, 13));
  EXPECT_EQ(turns.next(now), 11u);
  EXPECT_TRUE(serve(kGreedy, 11));
  EXPECT_EQ(turns.next(now), std::nullopt);
}

TEST_F(LinkTurnsTest, TheUserWithLeastComesFirst) {
  for (int i = 0; i < 4; ++i) {
    if (serve(kGreedy, 11)) continue;
    EXPECT_EQ(turns.next(now), 11u);
    EXPECT_TRUE(serve(kGreedy, 11));
  }
  EXPECT_FALSE(begin(kGreedy, 12));
  EXPECT_TRUE(serve(kHonest, 1));
  EXPECT_FALSE(begin(kHonest, 1));
  EXPECT_EQ(turns.next(now), 1u);
}

TEST_F(LinkTurnsTest, UseIsForgotten) {
  EXPECT_TRUE(serve(kGreedy, 11));
  EXPECT_FALSE(begin(kGreedy, 11));
  EXPECT_EQ(turns.next(now), 11u);
  EXPECT_TRUE(begin(kGreedy, 11));
  now += 3 * kLoopMemory;
  EXPECT_TRUE(begin(kGreedy, 12));
}

TEST_F(LinkTurnsTest, ALinkThatEndsWaitsNoLonger) {
  EXPECT_TRUE(serve(kGreedy, 11));
  EXPECT_FALSE(begin(kGreedy, 12));
  turns.leave(kGreedy, 12);
  EXPECT_FALSE(turns.somebody_waits());
  EXPECT_EQ(turns.next(now), std::nullopt);
}

TEST_F(LinkTurnsTest, LinksThatNeverAskHaveNoTurnsThatEnd) {
  for (int i = 0; i < 100; ++i) {
    now += kLoopTurn;
    turns.spend(kGreedy, kLoopTurn, now);
    EXPECT_FALSE(turns.is_over(kGreedy));
  }
}

TEST_F(LinkTurnsTest, AUserThatIsAloneNeverWaits) {
  turns.leave(kHonest, 1);
  EXPECT_FALSE(turns.shared());
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(serve(kGreedy, 11));
    EXPECT_FALSE(turns.is_over(kGreedy));
  }
}

}  // namespace
}  // namespace starbus::daemon
