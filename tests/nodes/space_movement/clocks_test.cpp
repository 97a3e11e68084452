/// Time stamps of clients, and clocks of other machines.
#include <gtest/gtest.h>

#include <random>

#include "nodes/space/movement/client_clock.hpp"
#include "nodes/space/movement/limits.hpp"
#include "nodes/space/movement/remote_clock.hpp"

namespace starbus::nodes::movement {
namespace {

TEST(ClientClock, TimeGoesForwardsOnly) {
  ClientClock clock;
  EXPECT_EQ(clock.take(1000, 0, 500), Stamp::good);
  EXPECT_EQ(clock.take(1100, 100, 500), Stamp::good);
  EXPECT_EQ(clock.take(1050, 200, 500), Stamp::backwards);
  EXPECT_EQ(clock.take(1050, 300, 500), Stamp::backwards);  // no time has passed
  EXPECT_EQ(clock.take(1150, 400, 500), Stamp::good);
}

// Other protocols reset their clock, and must tell a reset from a stamp of before it.
TEST(ClientClock, AWrapIsNoStepBack) {
  ClientClock clock;
  EXPECT_EQ(clock.take(0xffffff9c, 0, 500), Stamp::good);
  EXPECT_EQ(clock.take(50, 150, 500), Stamp::good);
  EXPECT_EQ(clock.take(0xffffff9c, 300, 500), Stamp::backwards);  // from before the wrap
}

TEST(ClientClock, ARestartIsAStepBackWheneverItComes) {
  ClientClock clock;
  EXPECT_EQ(clock.take(200'000, 0, 500), Stamp::good);
  EXPECT_EQ(clock.take(1000, 50'000, 500), Stamp::backwards);
  EXPECT_EQ(clock.take(1100, 50'100, 500), Stamp::good);
}

TEST(ClientClock, ABunchWithinTheAllowancePasses) {
  ClientClock clock;
  EXPECT_EQ(clock.take(0, 0, 500), Stamp::good);
  // Delayed by half a second, and then all at once.
  for (std::uint32_t sent = 50; sent <= 550; sent += 50) {
    EXPECT_EQ(clock.take(sent, 550, 500), Stamp::good) << sent;
  }
  EXPECT_EQ(clock.take(1060, 551, 500), Stamp::fast);
}

TEST(ClientClock, FivePercentTooFastIsFoundAndCrystalsAreNot) {
  const auto found_after = [](double pace) -> int {
    ClientClock clock;
    for (int now = 0; now < 3'600'000; now += 20) {
      if (clock.take(static_cast<std::uint32_t>(now * pace), now, 500) == Stamp::fast) return now;
    }
    return -1;
  };
  EXPECT_EQ(found_after(1.0002), -1);  // within an hour
  EXPECT_EQ(found_after(0.95), -1);    // slow ones gain nothing
  EXPECT_GT(found_after(1.05), 12'000);
  EXPECT_LE(found_after(1.05), 13'000);
}

TEST(RemoteClock, GoesByTheFastestMessage) {
  RemoteClock clock;
  EXPECT_FALSE(clock.has_heard());
  clock.heard(10'000, 500);  // took a while
  clock.heard(10'100, 540);  // took 60 ms less
  clock.heard(10'200, 900);
  EXPECT_NEAR(clock.remote_at(1000), 10'560, 1);
  EXPECT_NEAR(clock.local_at(10'560), 1000, 1);
}

TEST(RemoteClock, GoesOnOverAWrap) {
  RemoteClock clock;
  for (std::uint32_t i = 0; i < 100; ++i) clock.heard(0xfffffc00U + i * 50, 1000 + i * 50);
  EXPECT_NEAR(clock.local_at(0xfffffc00U + 99 * 50), 1000 + 99 * 50, 1);
}

TEST(RemoteClock, FollowsAClockThatRunsSlower) {
  RemoteClock clock;
  std::minstd_rand random(1);
  for (int now = 0; now < 600'000; now += 100) {
    const auto remote = static_cast<std::uint32_t>(now * 0.9995);
    clock.heard(remote, now + static_cast<int>(random() % 100));
  }
  EXPECT_NEAR(clock.remote_at(600'000), 600'000 * 0.9995, 10);
}

}  // namespace
}  // namespace starbus::nodes::movement
