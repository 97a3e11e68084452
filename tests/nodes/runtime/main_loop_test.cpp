/// The loop over a real io_context: wake-ups, timers of a loop that sleeps, turns of others.
#include "nodes/runtime/main_loop.hpp"

#include <gtest/gtest.h>

#include <boost/asio/post.hpp>
#include <thread>

#include "bus/io/clock.hpp"

namespace starbus::nodes {
namespace {

using namespace std::chrono_literals;
using bus::io::boot_now;

class MainLoopTest : public ::testing::Test {
 protected:
  template <class Condition>
  void run_until(const Condition& condition) {
    const auto deadline = std::chrono::steady_clock::now() + 20s;
    while (!condition() && std::chrono::steady_clock::now() < deadline) {
      loop.restart();
      loop.run_one_for(10ms);
    }
    EXPECT_TRUE(condition());
  }
  boost::asio::io_context loop;
  MainLoop main_loop{loop};
  entity::TimerOwner owner;
};

TEST_F(MainLoopTest, PostFromAnotherThreadWakesSleepingLoop) {
  const auto loop_thread = std::this_thread::get_id();
  std::thread::id ran_on;
  std::thread poster([&] {
    std::this_thread::sleep_for(20ms);
    EXPECT_TRUE(main_loop.post("test", [&] { ran_on = std::this_thread::get_id(); }));
  });
  run_until([&] { return ran_on != std::thread::id(); });
  poster.join();
  EXPECT_EQ(ran_on, loop_thread);
  EXPECT_EQ(main_loop.counters().closures, 1u);
}

TEST_F(MainLoopTest, TimerAfterSleepIsOnTime) {
  run_until([&, begun = boot_now()] { return boot_now() - begun > 50ms; });
  const entity::Time set = boot_now();
  entity::Time fired{0};
  ASSERT_TRUE(main_loop.timers().after(owner, 30ms, [&] { fired = boot_now(); }));
  run_until([&] { return fired != entity::Time{0}; });
  EXPECT_GE(fired - set, 30ms);
}

TEST_F(MainLoopTest, ASoonerTimerBringsTheAlarmForward) {
  bool later = false;
  entity::Time fired{0};
  ASSERT_TRUE(main_loop.timers().after(owner, 1h, [&] { later = true; }));
  run_until([&] { return main_loop.counters().passes > 0; });
  const entity::Time set = boot_now();
  ASSERT_TRUE(main_loop.timers().after(owner, 20ms, [&] { fired = boot_now(); }));
  run_until([&] { return fired != entity::Time{0}; });
  EXPECT_GE(fired - set, 20ms);
  EXPECT_FALSE(later);
}

TEST_F(MainLoopTest, OthersHaveTheirTurnBetweenPasses) {
  std::size_t closures = 0;
  std::size_t seen_by_other = 0;
  for (std::size_t i = 0; i < 3 * kPassWork; ++i) {
    ASSERT_TRUE(main_loop.post("test", [&] { ++closures; }));
  }
  boost::asio::post(loop, [&] { seen_by_other = closures; });
  run_until([&] { return closures == 3 * kPassWork; });
  EXPECT_GT(seen_by_other, 0u);
  EXPECT_LE(seen_by_other, kPassWork);
  EXPECT_GE(main_loop.counters().capped, 2u);
}

TEST_F(MainLoopTest, ATimerIsChargedToTheFunctionThatItStandsIn) {
  bool fired = false;
  ASSERT_TRUE(main_loop.timers().after(owner, 0ms, [&] { fired = true; }));
  run_until([&] { return fired; });
  const auto rows = main_loop.load().busiest(1);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_NE(rows[0]->name.find("ATimerIsChargedToTheFunctionThatItStandsIn"), std::string::npos)
      << rows[0]->name;
}

TEST_F(MainLoopTest, ALoopWithoutWorkHasNothingToRun) {
  loop.poll();
  EXPECT_EQ(loop.poll(), 0u);
  EXPECT_EQ(main_loop.counters().passes, 0u);
}

}  // namespace
}  // namespace starbus::nodes
