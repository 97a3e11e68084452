/// Owners whose timers stand still for a while: the entities that move.
#include "tests/entity/timers/wheel_fixture.hpp"

namespace starbus::entity {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class TimerPauses : public TimerWheelTest {
 protected:
  void after(TimerOwner& of, Time delay, std::string text) {
    ASSERT_TRUE(wheel.after(of, delay, note(std::move(text))));
  }
  TimerOwner other;
};

TEST_F(TimerPauses, NothingFiresAndOthersGoOn) {
  after(owner, 10ms, "mine");
  after(other, 10ms, "other");
  owner.pause();
  owner.pause();
  EXPECT_THAT(fired_at(1s), ElementsAre("other"));
  EXPECT_FALSE(wheel.next_due()) << "the loop need not wake up for it";
  EXPECT_EQ(wheel.size(), 1U);
  EXPECT_EQ(owner.size(), 1U);
  owner.resume();
  EXPECT_THAT(fired_at(1s), ElementsAre("mine"));
  EXPECT_EQ(wheel.size(), 0U);
}

TEST_F(TimerPauses, WhatIsOverdueFiresOnceInTheOrderOfItsTimes) {
  after(owner, 30ms, "c");
  after(owner, 10ms, "a");
  after(other, 20ms, "b");
  after(owner, 2s, "later");
  owner.pause();
  other.pause();
  EXPECT_THAT(fired_at(1s), IsEmpty());
  const std::array<TimerOwner*, 2> both = {&owner, &other};
  resume_timers(both);
  EXPECT_THAT(fired_at(1s), ElementsAre("a", "b", "c"));
  EXPECT_THAT(fired_at(2s - 1ms), IsEmpty()) << "a due time stays where it was";
  EXPECT_THAT(fired_at(2s), ElementsAre("later"));
}

TEST_F(TimerPauses, OnesThatAreSetMeanwhileWait) {
  owner.pause();
  after(owner, 10ms, "mine");
  const TimerId canceled = wheel.after(owner, 10ms, note("canceled")).value();
  EXPECT_THAT(fired_at(1s), IsEmpty());
  EXPECT_TRUE(wheel.cancel(canceled));
  owner.resume();
  EXPECT_THAT(fired_at(1s), ElementsAre("mine"));
}

TEST_F(TimerPauses, ARepeatingTimerCatchesUpAsItWasTold) {
  ASSERT_TRUE(wheel.every(owner, 100ms, 100ms, CatchUp::all, note("each")));
  std::uint64_t missed = 0;
  ASSERT_TRUE(wheel.every(other, 100ms, 100ms, CatchUp::once, [&](const TimerFiring& firing) {
    log.push_back("once");
    missed += firing.missed;
  }));
  owner.pause();
  other.pause();
  EXPECT_THAT(fired_at(450ms), IsEmpty());
  owner.resume();
  other.resume();
  const auto fired = fired_at(450ms);
  EXPECT_EQ(std::ranges::count(fired, "each"), 4);
  EXPECT_EQ(std::ranges::count(fired, "once"), 1);
  EXPECT_EQ(missed, 3U);
  EXPECT_THAT(fired_at(500ms), testing::UnorderedElementsAre("each", "once"));
}

TEST_F(TimerPauses, OneThatPausesItsOwnerWithinItsCallbackStops) {
  ASSERT_TRUE(wheel.every(owner, 10ms, 10ms, CatchUp::all, [this] {
    log.emplace_back("tick");
    owner.pause();
  }));
  EXPECT_THAT(fired_at(1s), ElementsAre("tick"));
  EXPECT_THAT(fired_at(2s), IsEmpty());
  owner.resume();
  EXPECT_THAT(fired_at(2s), ElementsAre("tick"));
}

TEST_F(TimerPauses, TheEndOfTheOwnerAndOfTheWheelTakesThemAlong) {
  {
    TimerOwner brief;
    after(brief, 10ms, "never");
    brief.pause();
  }
  EXPECT_EQ(wheel.size(), 0U);
  TimerOwner longer;
  {
    TimerWheel inner{kStart};
    ASSERT_TRUE(inner.after(longer, 10ms, note("never")));
    longer.pause();
  }
  EXPECT_EQ(longer.size(), 0U);
  longer.resume();
  EXPECT_THAT(log, IsEmpty());
}

TEST_F(TimerPauses, FarTimersKeepTheirTimes) {
  after(owner, 400s, "far");  // a higher level of the wheel
  EXPECT_THAT(fired_at(100s), IsEmpty());
  owner.pause();
  EXPECT_THAT(fired_at(300s), IsEmpty());
  owner.resume();
  EXPECT_THAT(fired_at(400s - 1ms), IsEmpty());
  EXPECT_THAT(fired_at(400s), ElementsAre("far"));
}

}  // namespace
}  // namespace starbus::entity
