#include "daemon/signals.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <vector>

#include "tests/daemon/support.hpp"

namespace starbus::daemon {
namespace {

// Signals reach the loop through a pipe, and reading that is a step of its own.
template <class Condition>
void run_until(boost::asio::io_context& loop, const Condition& condition) {
  for (int i = 0; i < 10 && !condition(); ++i) loop.run_one_for(std::chrono::seconds(5));
}

TEST(Signals, StopAndReloadReachTheirHandlers) {
  const test::LogCapture log;
  boost::asio::io_context loop;
  std::vector<int> stops;
  int reloads = 0;
  const Signals signals(loop, {[&](int signal) { stops.push_back(signal); }, [&] { ++reloads; }});
  ::raise(SIGHUP);
  run_until(loop, [&] { return reloads > 0; });
  EXPECT_EQ(reloads, 1);
  EXPECT_TRUE(stops.empty());
  ::raise(SIGTERM);
  run_until(loop, [&] { return !stops.empty(); });
  EXPECT_EQ(stops, std::vector<int>{SIGTERM});
  ::raise(SIGHUP);  // too late
  for (int i = 0; i < 10; ++i) loop.poll();
  EXPECT_EQ(reloads, 1);
}

TEST(Signals, BrokenPipesAreErrorsOfWrite) {
  boost::asio::io_context loop;
  const Signals signals(loop, {[](int) {}, [] {}});
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ::close(ends[0]);
  EXPECT_EQ(::write(ends[1], "x", 1), -1);
  EXPECT_EQ(errno, EPIPE);
  ::close(ends[1]);
}

TEST(Signals, NothingIsCalledAfterTheEnd) {
  boost::asio::io_context loop;
  {
    const Signals signals(loop, {[](int) { ADD_FAILURE(); }, [] { ADD_FAILURE(); }});
    ::raise(SIGHUP);
  }
  loop.run();
}

// Runs in a child process: the first signal begins a drain that never ends.
void stop_twice(int first, int second) {
  boost::asio::io_context loop;
  const Signals signals(loop, {[&](int) { ::raise(second); }, [] {}, [] { return "a drain"; }});
  ::raise(first);
  loop.run();
}

TEST(SignalsDeathTest, TheSecondStopEndsTheProcess) {
  EXPECT_EXIT(stop_twice(SIGTERM, SIGTERM), testing::ExitedWithCode(143), "");
  EXPECT_EXIT(stop_twice(SIGTERM, SIGINT), testing::ExitedWithCode(130), "");
}

}  // namespace
}  // namespace starbus::daemon
