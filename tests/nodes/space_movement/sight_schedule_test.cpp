/// Whose movement a client is told, and when.
#include "nodes/space/movement/sight_schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <stdexcept>
#include <string>

#include "tests/places.hpp"

namespace starbus::nodes::movement {
namespace {

constexpr std::uint16_t kB = 1;
constexpr std::uint16_t kC = 2;

/// B costs 1 and C costs 3.
SightSchedule b_and_c(double ahead) {
  SightSchedule schedule = *SightSchedule::create({.base = 1, .per_metre = 1, .ahead = ahead});
  EXPECT_TRUE(schedule.add(kB, 0));
  EXPECT_TRUE(schedule.add(kC, 2));
  return schedule;
}

std::string tick_of(SightSchedule& schedule, std::size_t budget) {
  std::string sent;
  schedule.tick(budget, [&](std::uint16_t index, std::size_t left) {
    if (left < 10) return std::optional<std::size_t>();
    sent += index == kB ? 'B' : 'C';
    return std::optional<std::size_t>(10);
  });
  std::sort(sent.begin(), sent.end());
  return sent;
}

TEST(SightSchedule, SharesByVirtualTime) {
  SightSchedule schedule = b_and_c(10);
  std::string sent;
  for (int i = 0; i < 10; ++i) sent += tick_of(schedule, 10);
  EXPECT_EQ(sent, "BCBBBCBBBC");
}

TEST(SightSchedule, DoesNotRunAheadThoughThereIsRoom) {
  SightSchedule schedule = b_and_c(0.8);
  std::vector<std::string> ticks;
  for (int i = 0; i < 9; ++i) ticks.push_back(tick_of(schedule, 10'000));
  EXPECT_EQ(ticks, (std::vector<std::string>{"BC", "B", "B", "BC", "B", "B", "BC", "B", "B"}));
}

/// Sends 10 bytes for each, and notes the tick.
struct Ticks {
  explicit Ticks(SightSchedule made) : schedule(std::move(made)) {}
  SightTick run(std::size_t budget) {
    ++now;
    return schedule.tick(budget, [&](std::uint16_t index, std::size_t left) {
      if (left < 10) return std::optional<std::size_t>();
      longest[index] = std::max(longest[index], now - std::exchange(latest[index], now));
      ++count[index];
      return std::optional<std::size_t>(10);
    });
  }
  void add(std::uint16_t index, float distance) {
    EXPECT_TRUE(schedule.add(index, distance));
    latest[index] = now;
  }
  SightSchedule schedule;
  int now = 0;
  std::map<std::uint16_t, int> latest;
  std::map<std::uint16_t, int> longest;
  std::map<std::uint16_t, int> count;
};

TEST(SightSchedule, TheNearOneComesEachTickAndTheFarOnesInBoundedTime) {
  Ticks ticks(*SightSchedule::create());
  ticks.add(1, 0);
  for (std::uint16_t i = 2; i <= 101; ++i) ticks.add(i, 100);
  for (int i = 0; i < 1000; ++i) {
    const SightTick tick = ticks.run(200);
    EXPECT_LE(tick.bytes, 200U);
  }
  EXPECT_EQ(ticks.count[1], 1000);  // also while all the others are new
  for (std::uint16_t i = 2; i <= 101; ++i) {
    EXPECT_LE(ticks.longest[i], 22) << i;  // it costs 21 times what the near one does
    EXPECT_GE(ticks.count[i], 1000 / 22);
  }
}

TEST(SightSchedule, ANewcomerComesInTheNextTick) {
  Ticks ticks(*SightSchedule::create());
  for (std::uint16_t i = 1; i <= 200; ++i) ticks.add(i, 10);
  for (int i = 0; i < 300; ++i) ticks.run(100);
  for (std::uint16_t i = 201; i <= 205; ++i) ticks.add(i, 60'000);
  ticks.run(100);
  for (std::uint16_t i = 201; i <= 205; ++i) EXPECT_EQ(ticks.count[i], 1) << i;
}

TEST(SightSchedule, WithRoomForOneANewcomerComesInTheNextTick) {
  Ticks ticks(*SightSchedule::create());
  for (std::uint16_t i = 1; i <= 20; ++i) ticks.add(i, 10);
  for (int i = 0; i < 100; ++i) ticks.run(10);
  ticks.add(21, 10);
  ticks.run(10);
  EXPECT_EQ(ticks.count[21], 1);
}

TEST(SightSchedule, NewcomersLeaveHalfOfTheBytesToTheOthers) {
  Ticks ticks(*SightSchedule::create());
  ticks.add(1, 0);
  ticks.add(2, 0);
  ticks.run(100);
  for (int i = 0; i < 1000; ++i) {
    for (std::uint16_t k = 3; k < 33; ++k) ticks.add(k, 0);  // more than there is room for
    ticks.run(100);
    for (std::uint16_t k = 3; k < 33; ++k) EXPECT_TRUE(ticks.schedule.remove(k));
  }
  EXPECT_EQ(ticks.count[1], 1001);
  EXPECT_EQ(ticks.count[2], 1001);
}

TEST(SightSchedule, WhatDoesNotFitIsTheFirstOfTheNextTick) {
  Ticks ticks(*SightSchedule::create());
  for (std::uint16_t i = 1; i <= 3; ++i) ticks.add(i, 0);
  const SightTick tick = ticks.run(29);
  EXPECT_EQ(tick.sent, 2U);
  EXPECT_EQ(tick.bytes, 20U);
  EXPECT_TRUE(tick.full);
  ticks.run(29);
  EXPECT_EQ(ticks.count[3], 1);
  EXPECT_FALSE(ticks.run(1000).full);
}

TEST(SightSchedule, OneWithNothingToTellHasHadItsTurn) {
  SightSchedule schedule = b_and_c(10);
  std::string asked;
  for (int i = 0; i < 4; ++i) {
    schedule.tick(10, [&](std::uint16_t index, std::size_t left) -> std::optional<std::size_t> {
      if (left < 10) return std::nullopt;
      asked += index == kB ? 'B' : 'C';
      return index == kB ? 0 : 10;
    });
  }
  EXPECT_EQ(std::count(asked.begin(), asked.end(), 'B'), 4);
  EXPECT_GE(std::count(asked.begin(), asked.end(), 'C'), 2);
}

TEST(SightSchedule, MistakesHaveTheirErrors) {
  SightSchedule schedule = b_and_c(10);
  EXPECT_EQ(schedule.add(kB, 1).error(), MoveErrc::mover_exists);
  EXPECT_EQ(schedule.add(0, 1).error(), MoveErrc::bad_option);
  EXPECT_EQ(schedule.remove(3).error(), MoveErrc::unknown_mover);
  EXPECT_EQ(schedule.set_distance(60'000, 1).error(), MoveErrc::unknown_mover);
  EXPECT_EQ(SightSchedule::create({.base = 0}).error(), MoveErrc::bad_option);
  EXPECT_EQ(SightSchedule::create({.per_metre = -1}).error(), MoveErrc::bad_option);
  EXPECT_EQ(SightSchedule::create({.ahead = INFINITY}).error(), MoveErrc::bad_option);
  schedule.tick(100, [&](std::uint16_t, std::size_t) {
    EXPECT_EQ(schedule.add(9, 1).error(), MoveErrc::busy);
    EXPECT_EQ(schedule.remove(kB).error(), MoveErrc::busy);
    EXPECT_EQ(schedule.set_distance(kB, 1).error(), MoveErrc::busy);
    return std::optional<std::size_t>(10);
  });
  EXPECT_TRUE(schedule.remove(kB));
  EXPECT_EQ(schedule.size(), 1U);
  EXPECT_TRUE(schedule.add(kB, 1));
}

TEST(SightSchedule, DistancesAreClampedAndChecked) {
  Ticks ticks(*SightSchedule::create());
  EXPECT_EQ(ticks.schedule.add(1, -1).error(), MoveErrc::bad_option);
  EXPECT_EQ(ticks.schedule.add(1, NAN).error(), MoveErrc::bad_option);
  ticks.add(1, INFINITY);
  ticks.add(2, static_cast<float>(kMaxSightDistance));
  for (int i = 0; i < 100'000; ++i) ticks.run(10);
  EXPECT_EQ(ticks.count[1], ticks.count[2]);
}

TEST(SightSchedule, WhatSendThrowsLeavesAllInTheirPlaces) {
  SightSchedule schedule = b_and_c(10);
  EXPECT_EQ(tick_of(schedule, 100), "BC");
  EXPECT_THROW(schedule.tick(100,
                             [](std::uint16_t, std::size_t) -> std::optional<std::size_t> {
                               throw std::runtime_error("no bytes");
                             }),
               std::runtime_error);
  EXPECT_EQ(tick_of(schedule, 10), "B");
  EXPECT_EQ(schedule.size(), 2U);
}

// Each tick costs 60,000 here, so that the bound comes in some seconds of play.
TEST(SightSchedule, GoesOnWhenVirtualTimeIsSetBack) {
  SightSchedule schedule =
      *SightSchedule::create({.base = 60'000, .per_metre = 60'000, .ahead = 1'000'000});
  ASSERT_TRUE(schedule.add(kB, 0));
  ASSERT_TRUE(schedule.add(kC, 2));
  std::string sent;
  for (int i = 0; i < 4002; ++i) sent += tick_of(schedule, 10);
  for (std::size_t i = 0; i + 10 <= sent.size(); i += 4) {
    ASSERT_EQ(sent.substr(i, 4), "BCBB") << i;
  }
}

TEST(SightSchedule, NoneIsLeftOutWhateverComesAndGoes) {
  const unsigned runs = long_runs() ? 300 : 20;
  for (unsigned seed = 0; seed < runs; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    Ticks ticks(*SightSchedule::create());
    std::vector<std::uint16_t> there;
    std::uint16_t next = 1;
    constexpr std::size_t kCrowd = 60;
    for (int tick = 0; tick < 2000; ++tick) {
      // One or two come in a tick, and the bytes are enough for four.
      for (auto i = random() % 3; i > 0 && there.size() < kCrowd; --i) {
        ticks.add(next, static_cast<float>(random() % 100));
        there.push_back(next++);
      }
      if (random() % 2 == 0 && there.size() > kCrowd / 2) {
        const std::size_t at = random() % there.size();
        ASSERT_TRUE(ticks.schedule.remove(there[at]));
        there.erase(there.begin() + static_cast<std::ptrdiff_t>(at));
      }
      if (!there.empty() && random() % 2 == 0) {
        ASSERT_TRUE(ticks.schedule.set_distance(there[random() % there.size()],
                                                static_cast<float>(random() % 100)));
      }
      const SightTick sent = ticks.run(40);
      ASSERT_LE(sent.bytes, 40U);
      ASSERT_EQ(ticks.schedule.size(), there.size());
      // Virtual time passes by what is sent: one that costs 21 and is 10 ahead waits for no more
      // than this, if half of the bytes are there for it.
      for (const std::uint16_t index : there) {
        ASSERT_LE(ticks.now - ticks.latest[index], 31 * 60 / 2) << index;
      }
    }
  }
}

}  // namespace
}  // namespace starbus::nodes::movement
