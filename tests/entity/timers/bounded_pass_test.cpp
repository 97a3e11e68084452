/// Passes are bounded by work, whatever is due, and lose neither order nor timers by that.
#include <algorithm>
#include <array>
#include <random>

#include "tests/entity/timers/full_wheel.hpp"
#include "tests/entity/timers/wheel_fixture.hpp"

namespace starbus::entity {
namespace {

class BoundedPassTest : public TimerWheelTest {
 protected:
  /// Passes at this time until there is no more; none may do more than its share.
  void run(Time since) {
    do {
      last = wheel.advance(kStart + since);
      ASSERT_LE(last.fired + last.moved, kPassWork);
      ++passes;
    } while (last.more);
  }
  std::size_t passes = 0;
};

TEST_F(BoundedPassTest, AMillionAtOnceFireInOrderOverManyPasses) {
  constexpr std::uint32_t kCount = 1'000'000;
  std::uint32_t expected = 0;
  bool in_order = true;
  for (std::uint32_t i = 0; i < kCount; ++i) {
    ASSERT_TRUE(wheel.after(owner, 1h, [&, i] { in_order &= i == expected++; }));
  }
  run(1h);
  EXPECT_EQ(expected, kCount);
  EXPECT_TRUE(in_order);
  EXPECT_GT(passes, 2 * kCount / kPassWork) << "each was moved, and fired";
}

TEST_F(BoundedPassTest, TimersSetWhileALevelMovesKeepTheirPlace) {
  std::vector<int> fired;
  const auto add = [&](int i) {
    (void)wheel.at(owner, kStart + 70s, [&, i] { fired.push_back(i); });
  };
  for (int i = 0; i < 100; ++i) add(i);
  int next = 100;
  do {
    last = wheel.advance(kStart + 69s, 7);
    if (next < 110) add(next++);
  } while (last.more);
  ASSERT_EQ(next, 110);
  wheel.advance(kStart + 70s);
  ASSERT_EQ(fired.size(), 110u);
  for (std::size_t i = 0; i < fired.size(); ++i) EXPECT_EQ(fired[i], static_cast<int>(i));
}

TEST_F(BoundedPassTest, ASlotThatIsCancelledWhileItMovesEndsTheMove) {
  std::vector<TimerId> ids;
  for (int i = 0; i < 10; ++i) ids.push_back(*wheel.after(owner, 70s, note("x")));
  (void)wheel.after(owner, 70s, note("stays"));
  wheel.cancel(ids[0]);
  last = wheel.advance(kStart + 69s, 3);
  ASSERT_TRUE(last.more);
  for (int i = 1; i < 10; ++i) EXPECT_TRUE(wheel.cancel(ids[static_cast<std::size_t>(i)]));
  EXPECT_EQ(wheel.next_due(), wheel.now());
  EXPECT_THAT(fired_at(2min), testing::ElementsAre("stays"));
}

TEST_F(BoundedPassTest, AStallOfAFastTimerIsCaughtUpInPieces) {
  std::size_t count = 0;
  (void)wheel.every(owner, 1ms, 1ms, CatchUp::all, [&] { ++count; });
  run(100s);
  EXPECT_EQ(count, 100'000u);
  EXPECT_GE(passes, 100'000 / kPassWork);
}

TEST_F(BoundedPassTest, CallbacksThatSetTimersForNowDoNotKeepThePass) {
  std::size_t count = 0;
  struct Again {
    TimerWheel& wheel;
    TimerOwner& owner;
    std::size_t& count;
    void operator()() const {
      ++count;
      (void)wheel.after(owner, 0ms, *this);
    }
  };
  (void)wheel.after(owner, 0ms, Again{wheel, owner, count});
  for (std::size_t i = 1; i <= 10; ++i) {
    EXPECT_TRUE(wheel.advance(kStart).more);
    EXPECT_EQ(count, i);
  }
}

// 100,000 timers over five weeks, a tenth of them cancelled; the clock jumps by up to two hours.
TEST_F(BoundedPassTest, FiveWeeksOfTimers) {
  std::mt19937_64 random(7);
  struct Fired {
    Time due;
    std::size_t number;
  };
  std::vector<Fired> fired;
  std::vector<TimerId> ids;
  bool in_time = true;
  Time previous = kStart;
  for (std::size_t i = 0; i < 100'000; ++i) {
    const auto limit = std::uint64_t{1} << (random() % 32);  // as many short ones as long ones
    const Time due = kStart + static_cast<std::int64_t>(random() % limit) * 1ms;
    ids.push_back(*wheel.at(owner, due, [&, due, i] {
      in_time &= due <= wheel.now() && (due > previous || due == kStart);
      fired.push_back({due, i});
    }));
  }
  std::size_t cancelled = 0;
  for (std::size_t i = 0; i < ids.size(); i += 10) cancelled += wheel.cancel(ids[i]);
  std::size_t every_second = 0;
  (void)wheel.every(owner, 1s, 1s, CatchUp::all, [&] { ++every_second; });
  Time now = kStart;
  const Time end = kStart + 24h * 51;
  while (now < end) {
    now += static_cast<std::int64_t>(random() % 7'200'000) * 1ms;
    while (wheel.advance(now).more) {
    }
    previous = now;
  }
  EXPECT_TRUE(in_time) << "each in the first pass behind its time";
  EXPECT_EQ(fired.size(), ids.size() - cancelled);
  for (std::size_t i = 1; i < fired.size(); ++i) {
    ASSERT_TRUE(fired[i - 1].due < fired[i].due ||
                (fired[i - 1].due == fired[i].due && fired[i - 1].number < fired[i].number));
  }
  EXPECT_EQ(every_second, static_cast<std::size_t>((now - kStart) / 1s));
}

TEST_F(BoundedPassTest, MemoryGoesBackAndIsUsedAgain) {
  std::vector<TimerId> ids;
  for (int i = 0; i < 100'000; ++i) ids.push_back(*wheel.after(owner, i * 1s, [] {}));
  const std::size_t full = wheel.bytes();
  EXPECT_LE(full, 98 * 1024 * 144u);
  // Most are cancelled, at random: what remains is spread over all blocks.
  std::mt19937 random(1);
  std::shuffle(ids.begin(), ids.end(), random);
  for (std::size_t i = 0; i < 51'000; ++i) wheel.cancel(ids[i]);
  for (int i = 0; i < 51'000; ++i) (void)wheel.after(owner, 1h, [] {});
  // The nodes of the cancelled are used again. Their places in the slots are not while others are
  // left in the same chunk: the new ones, all of one slot, have 51,000 / 13 chunks of 66 bytes.
  EXPECT_LE(wheel.bytes(), full + 4 * 1024 * 66u);
  owner.cancel_all();
  EXPECT_LE(wheel.bytes(), 2 * 16 * 1024 * 144u) << "the lowest region and one that is empty";
}

TEST_F(BoundedPassTest, WhereOneOfThirteenIsLeftEachHoldsAChunkAndNotMore) {
  constexpr std::uint32_t kLeft = 50'000;
  std::uint32_t expected = 0;
  bool in_order = true;
  for (std::uint32_t i = 0; i < kLeft; ++i) {
    std::array<TimerId, 12> passing;
    for (TimerId& id : passing) id = *wheel.after(owner, 1h, [] { FAIL(); });
    (void)wheel.after(owner, 1h, [&, i] { in_order &= i == expected++; });
    for (const TimerId id : passing) wheel.cancel(id);
  }
  // 136 bytes of the node, 66 of the chunk, and a block of each that is not full.
  EXPECT_LE(wheel.bytes(), (kLeft + 1024) * 202u);
  run(1h);
  EXPECT_EQ(expected, kLeft);
  EXPECT_TRUE(in_order);
  EXPECT_LE(wheel.bytes(), 2 * 16 * 1024 * 202u) << "two regions of each";
}

TEST_F(BoundedPassTest, ThereIsALimitOfTimers) {
  FullWheel full(wheel);
  EXPECT_EQ(wheel.size(), kMaxTimers);
  EXPECT_EQ(wheel.after(owner, 1h, [] {}).error(), TimerErrc::too_many_timers);
  full.free(1);
  EXPECT_TRUE(wheel.after(owner, 1h, [] {}));
}

}  // namespace
}  // namespace starbus::entity
