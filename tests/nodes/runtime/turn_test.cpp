/// Passes over timers and closures, in virtual time: order, caps, and that nothing starves.
#include "nodes/runtime/turn.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace starbus::nodes {
namespace {

using namespace std::chrono_literals;
using entity::TimerOwner;
using ::testing::ElementsAre;

class TurnTest : public ::testing::Test {
 protected:
  void post(std::string what, std::chrono::nanoseconds takes = 0ns) {
    ASSERT_TRUE(queue.post("test", [this, what = std::move(what), takes] {
      ran.push_back(what);
      now += takes;
    }));
  }
  void set(std::string what, std::chrono::nanoseconds delay, std::chrono::nanoseconds takes = 0ns) {
    ASSERT_TRUE(timers.after(owner, delay, [this, what = std::move(what), takes] {
      ran.push_back(what);
      now += takes;
    }));
  }

  std::chrono::nanoseconds now = 1h;
  int wakes = 0;
  std::vector<std::string> ran;
  Load load;
  entity::TimerWheel timers{now};
  TimerOwner owner;
  WorkQueue queue{[this] { ++wakes; }};
  Turn turn{queue, timers, load, [this] { return now; }};
};

TEST_F(TurnTest, RunsDueTimersThenClosuresInOrder) {
  post("a");
  set("late", 2ms);
  set("timer", 1ms);
  post("b");
  now += 1ms;
  const Turn::Done done = turn.run();
  EXPECT_THAT(ran, ElementsAre("timer", "a", "b"));
  EXPECT_FALSE(done.more);
  EXPECT_EQ(done.timers, 1u);
  EXPECT_EQ(done.closures, 2u);
  EXPECT_EQ(done.next, 1h + 2ms);
}

TEST_F(TurnTest, WithoutTimersThereIsNoTimeToWakeAt) {
  EXPECT_EQ(turn.run().next, std::nullopt);
}

TEST_F(TurnTest, PassEndsAtClosureLimitNextContinues) {
  for (std::size_t i = 0; i < kPassWork + 10; ++i) post(std::to_string(i));
  Turn::Done done = turn.run();
  EXPECT_TRUE(done.more);
  EXPECT_EQ(ran.size(), kPassWork);
  done = turn.run();
  EXPECT_FALSE(done.more);
  ASSERT_EQ(ran.size(), kPassWork + 10);
  for (std::size_t i = 0; i < ran.size(); ++i) ASSERT_EQ(ran[i], std::to_string(i));
}

TEST_F(TurnTest, APassEndsWhenItsTimeIsOver) {
  for (int i = 0; i < 10; ++i) post(std::to_string(i), 2ms);
  EXPECT_TRUE(turn.run().more);
  EXPECT_THAT(ran, ElementsAre("0", "1", "2"));  // the third was begun within the 5 ms
}

TEST_F(TurnTest, SlowTimersAndClosuresDoNotStarveEachOther) {
  constexpr int kTimers = 3 * static_cast<int>(kTimerSlice);
  for (int i = 0; i < kTimers; ++i) set("timer", 1ms, 10ms);
  for (int i = 0; i < 3; ++i) post("closure", 100ms);
  now += 1ms;
  for (int pass = 1; pass <= 3; ++pass) {
    const Turn::Done done = turn.run();
    EXPECT_EQ(done.timers, kTimerSlice);
    EXPECT_EQ(done.closures, 1u);
    EXPECT_EQ(done.more, true) << "the queue was not seen empty";
  }
  EXPECT_FALSE(turn.run().more);
}

TEST_F(TurnTest, ClosuresHaveHalfOfThePassHoweverLongTimersTake) {
  set("tick", 1ms, 75ms);
  for (int i = 0; i < 10; ++i) post(std::to_string(i), 1ms);
  now += 1ms;
  EXPECT_TRUE(turn.run().more);
  EXPECT_THAT(ran, ElementsAre("tick", "0", "1", "2"));  // the third was begun within 2.5 ms
}

TEST_F(TurnTest, SelfPostingClosureDoesNotExtendThePass) {
  std::function<void()> again = [&] {
    ran.push_back("again");
    ASSERT_TRUE(queue.post("again", again));
  };
  ASSERT_TRUE(queue.post("again", again));
  EXPECT_TRUE(turn.run().more);
  EXPECT_EQ(ran.size(), kPassWork);
}

TEST_F(TurnTest, WhatTookLongIsChargedToItsKind) {
  ASSERT_TRUE(queue.post("spins", [] {
    const std::uint64_t begun = entity::rpc::ticks();
    while (entity::rpc::ticks() - begun < 100'000) {
    }
  }));
  ASSERT_TRUE(queue.post("idles", [] {}));
  turn.run();
  EXPECT_GE(load.source("spins").ticks, 100'000u);
  EXPECT_EQ(load.source("idles").count, 1u);
  EXPECT_LT(load.source("idles").ticks, load.source("spins").ticks);
}

}  // namespace
}  // namespace starbus::nodes
