#include "daemon/signals.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <vector>

#include "daemon/stop_signals.hpp"
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

TEST(Signals, TheSameStopTwiceIsOne) {
  const test::LogCapture log;
  boost::asio::io_context loop;
  int stops = 0;
  const auto now = [] { return std::chrono::steady_clock::time_point(); };
  const Signals signals(loop, {[&](int) {
                                 if (++stops == 1) ::raise(SIGTERM);
                               },
                               [] {}, [] { return "a drain"; }, now});
  ::raise(SIGTERM);
  const auto told = [&] { return log.text().find("stops already") != std::string::npos; };
  run_until(loop, told);
  EXPECT_TRUE(told()) << log.text();
  EXPECT_EQ(stops, 1);
}

// Runs in a child process: the first signal begins a drain that never ends.
void stop_twice(int first, int second, std::chrono::milliseconds apart) {
  boost::asio::io_context loop;
  std::chrono::steady_clock::time_point time;
  const Signals signals(loop, {[&](int) {
                                 time += apart;
                                 ::raise(second);
                               },
                               [] {}, [] { return "a drain"; }, [&] { return time; }});
  ::raise(first);
  loop.run();
}

TEST(SignalsDeathTest, ALaterStopEndsTheProcess) {
  const auto later = kSameStop + std::chrono::milliseconds(1);
  EXPECT_EXIT(stop_twice(SIGTERM, SIGTERM, later), testing::ExitedWithCode(143), "");
  EXPECT_EXIT(stop_twice(SIGTERM, SIGINT, later), testing::ExitedWithCode(130), "");
  EXPECT_EXIT(stop_twice(SIGINT, SIGINT, {}), testing::ExitedWithCode(130), "");
}

}  // namespace
}  // namespace starbus::daemon
