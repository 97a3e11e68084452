/// The promises of docs/guide/timers.md, one by one.
#include "entity/timers/timer_wheel.hpp"

#include <array>
#include <memory>
#include <stdexcept>

#include "tests/entity/timers/wheel_fixture.hpp"
#include "tests/thrown_log.hpp"

namespace starbus::entity {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST_F(TimerWheelTest, FiresAtItsTimeAndNotBefore) {
  (void)wheel.after(owner, 10ms, note("a"));
  EXPECT_THAT(fired_at(9'999'999ns), IsEmpty());
  EXPECT_THAT(fired_at(10ms), ElementsAre("a"));
  EXPECT_THAT(fired_at(1h), IsEmpty());
  EXPECT_EQ(wheel.size(), 0u);
}

TEST_F(TimerWheelTest, IsNeverEarlyWithinAMillisecond) {
  fired_at(400us);
  (void)wheel.after(owner, 1ms, note("a"));
  EXPECT_THAT(fired_at(1ms), IsEmpty());
  EXPECT_THAT(fired_at(1'399us), IsEmpty());
  EXPECT_THAT(fired_at(2ms), ElementsAre("a"));
}

TEST_F(TimerWheelTest, KeepsTheOrderOfDueTimesAndThenOfSetting) {
  (void)wheel.after(owner, 70s, note("last"));
  (void)wheel.after(owner, 300ms, note("b1"));
  (void)wheel.after(owner, 2ms, note("a"));
  fired_at(1ms);
  (void)wheel.at(owner, kStart + 300ms, note("b2"));
  fired_at(299ms);
  (void)wheel.at(owner, kStart + 300ms, note("b3"));
  EXPECT_THAT(fired_at(2min), ElementsAre("b1", "b2", "b3", "last"));
}

TEST_F(TimerWheelTest, ATimeInThePastIsNow) {
  fired_at(1s);
  (void)wheel.at(owner, kStart - 4h, note("past"));
  (void)wheel.at(owner, Time::min(), note("first"));
  (void)wheel.after(owner, -3s, note("negative"));
  EXPECT_EQ(wheel.next_due(), wheel.now());
  EXPECT_THAT(fired_at(1s), ElementsAre("past", "first", "negative"));
}

TEST_F(TimerWheelTest, NowIsTheNextPassEvenIfTheClockStands) {
  int rounds = 0;
  (void)wheel.after(owner, 0ms, [&] {
    ++rounds;
    (void)wheel.after(owner, 0ms, [&] { ++rounds; });
  });
  for (const Time at : {400us, 400us}) {
    const int before = rounds;
    wheel.advance(kStart + at);
    EXPECT_EQ(rounds, before + 1);
  }
  wheel.advance(kStart + 400us);
  EXPECT_EQ(rounds, 2);
}

TEST_F(TimerWheelTest, TimersSetAfterAStallFireInTheNextPass) {
  (void)wheel.after(owner, 5ms, [this] {
    log.push_back("a");
    (void)wheel.at(owner, kStart + 6ms, note("late"));
    (void)wheel.at(owner, kStart + 700ms, note("now"));
  });
  (void)wheel.after(owner, 600ms, note("b"));
  (void)wheel.after(owner, 700ms, note("c"));
  EXPECT_THAT(fired_at(700ms), ElementsAre("a", "b", "c"));
  EXPECT_TRUE(last.more);
  EXPECT_THAT(fired_at(900ms), ElementsAre("late", "now"));
  EXPECT_FALSE(last.more);
}

TEST_F(TimerWheelTest, AClockThatGoesBackDoesNothing) {
  (void)wheel.after(owner, 10ms, note("a"));
  fired_at(9ms);
  EXPECT_THAT(fired_at(-4h), IsEmpty());
  EXPECT_EQ(wheel.now(), kStart + 9ms);
  (void)wheel.after(owner, 1ms, note("b"));
  EXPECT_THAT(fired_at(10ms), ElementsAre("a", "b"));
}

TEST_F(TimerWheelTest, CancelledTimersDoNotFire) {
  const TimerId a = *wheel.after(owner, 1ms, note("a"));
  const TimerId b = *wheel.after(owner, 1ms, note("b"));
  const TimerId c = *wheel.after(owner, 3h, note("c"));
  EXPECT_TRUE(wheel.cancel(a));
  EXPECT_TRUE(wheel.cancel(c));
  EXPECT_FALSE(wheel.cancel(c));
  EXPECT_TRUE(wheel.contains(b));
  EXPECT_EQ(wheel.due(b), kStart + 1ms);
  EXPECT_EQ(wheel.due(a), std::nullopt);
  EXPECT_THAT(fired_at(24h), ElementsAre("b"));
}

TEST_F(TimerWheelTest, StaleHandlesAreRefusedWhateverTookTheirPlace) {
  const TimerId old = *wheel.after(owner, 1ms, note("old"));
  wheel.cancel(old);
  const TimerId fresh = *wheel.after(owner, 1ms, note("new"));
  ASSERT_EQ(fresh.index, old.index) << "the memory is used again";
  EXPECT_NE(fresh, old);
  EXPECT_FALSE(wheel.cancel(old));
  EXPECT_FALSE(wheel.cancel({}));
  EXPECT_FALSE(wheel.cancel({fresh.serial, fresh.index + 1}));
  EXPECT_FALSE(wheel.cancel({fresh.serial, 0}));
  EXPECT_FALSE(wheel.cancel({fresh.serial, 0xffff'ffff}));
  EXPECT_THAT(fired_at(1ms), ElementsAre("new"));
  EXPECT_FALSE(wheel.cancel(fresh));
}

TEST_F(TimerWheelTest, ACallbackCancelsOthersOfTheSamePass) {
  TimerId b, c;
  (void)wheel.after(owner, 1ms, [&] {
    log.push_back("a");
    EXPECT_TRUE(wheel.cancel(b));
    EXPECT_TRUE(wheel.cancel(c));
  });
  b = *wheel.after(owner, 1ms, note("b"));
  c = *wheel.after(owner, 400ms, note("c"));
  (void)wheel.after(owner, 400ms, note("d"));
  EXPECT_THAT(fired_at(1s), ElementsAre("a", "d"));
}

TEST_F(TimerWheelTest, ASingleTimerHasEndedWithinItsCallback) {
  TimerId id;
  auto resource = std::make_shared<int>(7);
  id = *wheel.after(owner, 1ms, [&, resource] {
    EXPECT_FALSE(wheel.contains(id));
    EXPECT_FALSE(wheel.cancel(id));
    EXPECT_EQ(owner.size(), 0u);
    (void)wheel.after(owner, 1ms, note("other"));
    EXPECT_EQ(*resource, 7) << "what it captured lives until it returns";
  });
  fired_at(1ms);
  EXPECT_EQ(resource.use_count(), 1);
  EXPECT_THAT(fired_at(2ms), ElementsAre("other"));
}

TEST_F(TimerWheelTest, ARepeatingTimerCancelsItself) {
  TimerId id;
  auto resource = std::make_shared<int>(0);
  id = *wheel.every(owner, 1ms, 1ms, CatchUp::all, [&, resource] {
    if (++*resource == 3) {
      EXPECT_TRUE(wheel.cancel(id));
      EXPECT_FALSE(wheel.cancel(id));
      EXPECT_EQ(resource.use_count(), 2);
    }
  });
  fired_at(1s);
  EXPECT_EQ(*resource, 3);
  EXPECT_EQ(resource.use_count(), 1);
  EXPECT_EQ(wheel.size(), 0u);
}

TEST_F(TimerWheelTest, RepeatingTimersDoNotDrift) {
  std::vector<Time> due;
  const Time frame = 16'666'667ns;
  (void)wheel.every(owner, frame, frame, CatchUp::all,
                    [&](const TimerFiring& firing) { due.push_back(firing.due); });
  for (int i = 1; i <= 7; ++i) wheel.advance(kStart + i * 147ms + i * 13us);
  ASSERT_EQ(due.size(), static_cast<std::size_t>((7 * 147ms) / frame));
  for (std::size_t i = 0; i < due.size(); ++i) {
    EXPECT_EQ(due[i], kStart + static_cast<std::int64_t>(i + 1) * frame);
  }
}

TEST_F(TimerWheelTest, CatchUpAllFiresMissedTimesInOrder) {
  (void)wheel.every(owner, 100ms, 100ms, CatchUp::all, note("tick"));
  (void)wheel.after(owner, 250ms, note("between"));
  EXPECT_THAT(fired_at(450ms), ElementsAre("tick", "tick", "between", "tick", "tick"));
  EXPECT_THAT(fired_at(500ms), ElementsAre("tick"));
}

TEST_F(TimerWheelTest, CatchUpOnceFiresOneAndKeepsTheRhythm) {
  std::vector<std::pair<Time, std::uint64_t>> firings;
  (void)wheel.every(owner, 100ms, 100ms, CatchUp::once, [&](const TimerFiring& firing) {
    firings.emplace_back(firing.due - kStart, firing.missed);
  });
  fired_at(450ms);
  fired_at(499ms);
  fired_at(500ms);
  fired_at(600ms);
  EXPECT_THAT(firings, ElementsAre(std::pair(Time{100ms}, 3u), std::pair(Time{500ms}, 0u),
                                   std::pair(Time{600ms}, 0u)));
}

TEST_F(TimerWheelTest, DueOfARepeatingTimerWithinItsCallbackIsTheNext) {
  TimerId id;
  id = *wheel.every(owner, 10ms, 20ms, CatchUp::all,
                    [&] { EXPECT_EQ(wheel.due(id), kStart + 30ms); });
  fired_at(10ms);
  EXPECT_EQ(wheel.due(id), kStart + 30ms);
}

TEST_F(TimerWheelTest, NothingFiresAfterItsOwner) {
  auto campfire = std::make_unique<TimerOwner>();
  auto resource = std::make_shared<int>(0);
  for (int i = 0; i < 5; ++i) {
    (void)wheel.after(*campfire, i * 1s, [resource] { FAIL(); });
    (void)wheel.after(owner, i * 1s, note("mine"));
  }
  EXPECT_EQ(campfire->size(), 5u);
  campfire.reset();
  EXPECT_EQ(resource.use_count(), 1) << "callbacks end with their timers";
  EXPECT_EQ(fired_at(1min).size(), 5u);
}

TEST_F(TimerWheelTest, OwnersMayEndWithinTheirOwnCallback) {
  auto entity = std::make_unique<TimerOwner>();
  auto resource = std::make_shared<int>(0);
  (void)wheel.every(*entity, 1ms, 1ms, CatchUp::all, [&, resource] {
    ++*resource;
    entity.reset();
    EXPECT_EQ(resource.use_count(), 2);
  });
  (void)wheel.after(*entity, 2ms, [] { FAIL(); });
  fired_at(1s);
  EXPECT_EQ(*resource, 1);
  EXPECT_EQ(resource.use_count(), 1);
  EXPECT_EQ(wheel.size(), 0u);
}

TEST_F(TimerWheelTest, OwnersCancelAllAndGoOn) {
  for (int i = 0; i < 10; ++i) (void)wheel.after(owner, i * 100ms, note("x"));
  EXPECT_EQ(owner.cancel_all(), 10u);
  EXPECT_EQ(owner.cancel_all(), 0u);
  (void)wheel.after(owner, 1ms, note("y"));
  EXPECT_THAT(fired_at(1min), ElementsAre("y"));
}

// The end of a callback may be the end of an owner, which comes back to the wheel.
TEST_F(TimerWheelTest, CallbacksMayOwnTimers) {
  auto inner = std::make_shared<TimerOwner>();
  (void)wheel.after(*inner, 1h, [] { FAIL(); });
  const TimerId holder = *wheel.after(owner, 1h, [inner] { FAIL(); });
  inner.reset();
  EXPECT_EQ(wheel.size(), 2u);
  wheel.cancel(holder);
  EXPECT_EQ(wheel.size(), 0u);
}

TEST(TimerWheelEnd, CancelsEverythingAndOwnersMayLiveLonger) {
  TimerOwner owner;
  auto inner = std::make_shared<TimerOwner>();
  {
    TimerWheel wheel;
    (void)wheel.after(owner, 1h, [] { FAIL(); });
    (void)wheel.after(*inner, 2h, [] { FAIL(); });
    (void)wheel.after(owner, 1h, [inner] { FAIL(); });
    inner.reset();
  }
  EXPECT_EQ(owner.size(), 0u);
  TimerWheel other;
  EXPECT_TRUE(other.after(owner, 1s, [] {}));
}

TEST_F(TimerWheelTest, AnExceptionLeavesThePassAndTheNextGoesOn) {
  (void)wheel.after(owner, 1ms, note("a"));
  const TimerId repeating =
      *wheel.every(owner, 2ms, 10ms, CatchUp::all, [] { throw std::runtime_error("a bug"); });
  (void)wheel.after(owner, 2ms, note("b"));
  EXPECT_THROW(fired_at(3ms), std::runtime_error);
  EXPECT_THAT(log, ElementsAre("a"));
  EXPECT_THAT(fired_at(3ms), ElementsAre("b"));
  EXPECT_EQ(wheel.due(repeating), kStart + 12ms);
  EXPECT_THROW(fired_at(12ms), std::runtime_error);
}

TEST_F(TimerWheelTest, WithAGuardTheOtherTimersOfThePassFire) {
  starbus::test::ThrownLog thrown;
  const TimerId repeating =
      *wheel.every(owner, 1ms, 10ms, CatchUp::all, [] { throw std::runtime_error("a bug"); });
  (void)wheel.after(owner, 1ms, note("a"));
  (void)wheel.after(owner, 2ms, note("b"));
  EXPECT_THAT(fired_at(3ms), ElementsAre("a", "b"));
  EXPECT_EQ(last.fired, 3u);
  EXPECT_EQ(wheel.due(repeating), kStart + 11ms) << "it goes on";
  EXPECT_THAT(thrown.lines, ElementsAre("timer: a bug"));
  EXPECT_THAT(thrown.places.front(), testing::HasSubstr("WithAGuardTheOtherTimersOfThePassFire"));
}

TEST_F(TimerWheelTest, LargeCallablesAreCalledToo) {
  std::array<std::uint64_t, 64> large{};
  large[63] = 42;
  (void)wheel.after(owner, 1ms, [this, large] { log.push_back(std::to_string(large[63])); });
  EXPECT_THAT(fired_at(1ms), ElementsAre("42"));
}

TEST_F(TimerWheelTest, CallablesLieAsTheirTypeDemands) {
  struct alignas(64) Aligned {
    std::uint64_t value = 42;
  };
  (void)wheel.after(owner, 1ms, [this, aligned = Aligned{}] {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&aligned) % 64, 0u);
    log.push_back(std::to_string(aligned.value));
  });
  std::array<std::uint64_t, 8> largest{};
  largest[7] = 43;
  const auto whole = [this, largest] { log.push_back(std::to_string(largest[7])); };
  static_assert(sizeof(whole) == sizeof(TimerNode::storage), "does not need memory of its own");
  (void)wheel.after(owner, 1ms, whole);
  EXPECT_THAT(fired_at(1ms), ElementsAre("42", "43"));
}

TEST_F(TimerWheelTest, RefusesTooFarAndTooFastTimers) {
  const auto nothing = [] {};
  EXPECT_EQ(wheel.after(owner, 24h * 3650 + 1ms, nothing).error(), TimerErrc::too_far);
  EXPECT_EQ(wheel.at(owner, Time::max(), nothing).error(), TimerErrc::too_far);
  EXPECT_EQ(wheel.every(owner, 1s, Time::max(), CatchUp::all, nothing).error(), TimerErrc::too_far);
  EXPECT_EQ(wheel.every(owner, 1s, 999us, CatchUp::all, nothing).error(), TimerErrc::bad_interval);
  EXPECT_EQ(wheel.every(owner, 1s, -1s, CatchUp::all, nothing).error(), TimerErrc::bad_interval);
  EXPECT_TRUE(wheel.after(owner, 24h * 3650, note("in ten years")));
  EXPECT_EQ(wheel.size(), 1u);
  while (log.empty()) fired_at(*wheel.next_due() - kStart);
  EXPECT_EQ(wheel.now(), kStart + 24h * 3650);
}

TEST_F(TimerWheelTest, ShiftChangesTheDateAndKeepsRemainingTimes) {
  fired_at(123us);
  (void)wheel.after(owner, 10ms, note("a"));
  (void)wheel.every(owner, 1h, 1h, CatchUp::all, note("hour"));
  wheel.shift(24h);
  EXPECT_EQ(wheel.now(), kStart + 24h + 123us);
  EXPECT_THAT(fired_at(24h + 10ms), IsEmpty());
  EXPECT_THAT(fired_at(24h + 11ms), ElementsAre("a"));
  EXPECT_THAT(fired_at(25h + 1ms), ElementsAre("hour"));
  wheel.shift(-23h);
  EXPECT_THAT(fired_at(3h), IsEmpty());
  EXPECT_THAT(fired_at(3h + 1ms), ElementsAre("hour"));
}

TEST_F(TimerWheelTest, NextDueIsNeverLateAndEndsAtTheTimer) {
  EXPECT_EQ(wheel.next_due(), std::nullopt);
  const Time due = 3h + 17ms;
  (void)wheel.after(owner, due, note("a"));
  int wakes = 0;
  while (log.empty()) {
    const Time next = *wheel.next_due();
    ASSERT_LE(next, kStart + due);
    ASSERT_GT(next, wheel.now());
    wheel.advance(next);
    ASSERT_LT(++wakes, 6) << "one per level";
  }
  EXPECT_EQ(wheel.now(), kStart + due);
}

}  // namespace
}  // namespace starbus::entity
