#include "daemon/clock_watch.hpp"

#include <gtest/gtest.h>

namespace starbus::daemon {
namespace {

using namespace std::chrono_literals;

ClockWatch::Wall wall(std::chrono::milliseconds since_epoch) {
  return ClockWatch::Wall(since_epoch);
}

TEST(ClockWatchTest, ASteadyClockDoesNotJump) {
  ClockWatch watch;
  EXPECT_FALSE(watch.observe(wall(1'000'000ms), 10s));
  EXPECT_FALSE(watch.observe(wall(1'001'000ms), 11s));
  EXPECT_FALSE(watch.observe(wall(1'060'000ms), 70s)) << "a stopped loop is no jump";
  EXPECT_FALSE(watch.observe(wall(1'061'400ms), 71s)) << "a small correction";
  EXPECT_EQ(watch.jumps(), 0U);
  EXPECT_FALSE(watch.age(80s));
}

TEST(ClockWatchTest, AJumpIsToldOnceInItsDirection) {
  ClockWatch watch;
  watch.observe(wall(1'000'000ms), 10s);
  EXPECT_EQ(watch.observe(wall(4'601'000ms), 11s), 3'600'000ms);
  EXPECT_FALSE(watch.observe(wall(4'602'000ms), 12s));
  EXPECT_EQ(watch.observe(wall(4'602'500ms), 13s), -500ms);
  EXPECT_EQ(watch.jumps(), 2U);
  EXPECT_EQ(watch.age(20s), ClockWatch::Boot(7s));
}

}  // namespace
}  // namespace starbus::daemon
