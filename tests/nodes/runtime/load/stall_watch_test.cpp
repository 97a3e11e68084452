/// Who blocks the loop, in virtual time; and once with a real loop and the detector's thread.
#include "nodes/runtime/load/stall_watch.hpp"

#include <gmock/gmock.h>

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <optional>
#include <thread>

#include "nodes/runtime/load/stall_detector.hpp"
#include "tests/daemon/support.hpp"

namespace starbus::nodes {
namespace {

using namespace std::chrono_literals;
using Kind = StallWatch::Report::Kind;
using ::testing::AllOf;
using ::testing::HasSubstr;

class StallWatchTest : public ::testing::Test {
 protected:
  /// An observation every 50 ms until `end`; the reports.
  std::vector<StallWatch::Report> observe_until(std::chrono::nanoseconds end) {
    std::vector<StallWatch::Report> reports;
    for (; now <= end; now += 50ms) {
      if (advances) ++sample.beats;
      if (auto report = watch.observe(now, sample)) reports.push_back(*report);
    }
    return reports;
  }
  StallWatch watch{200ms};
  StallWatch::Sample sample;
  std::chrono::nanoseconds now{0};
  bool advances = true;
};

TEST_F(StallWatchTest, ALoopThatAdvancesIsNotMentioned) {
  sample.handler = "busy.always";
  EXPECT_TRUE(observe_until(1h).empty());
  EXPECT_EQ(watch.stalls(), 0u);
}

TEST_F(StallWatchTest, ReportsStallAtLimitDoublingsAndEnd) {
  observe_until(1s);
  advances = false;
  sample.handler = "chat.say";
  sample.handler_for = 100ms;
  const auto blocked = observe_until(3s);
  ASSERT_EQ(blocked.size(), 4u);
  EXPECT_EQ(blocked[0].kind, Kind::blocked);
  EXPECT_EQ(blocked[0].how_long, 250ms);
  EXPECT_EQ(blocked[0].handler, "chat.say");
  EXPECT_EQ(blocked[1].kind, Kind::still_blocked);
  EXPECT_EQ(blocked[1].how_long, 500ms);
  EXPECT_EQ(blocked[2].how_long, 1s);
  EXPECT_EQ(blocked[3].how_long, 2s);
  advances = true;
  sample.handler = "somebody.else";
  const auto over = observe_until(4s);
  ASSERT_EQ(over.size(), 1u);
  EXPECT_EQ(over[0].kind, Kind::goes_on);
  EXPECT_EQ(over[0].handler, "chat.say");
  EXPECT_EQ(over[0].how_long, 2050ms);
  EXPECT_EQ(watch.stalls(), 1u);
}

TEST_F(StallWatchTest, AStallUpToItsLimitIsNone) {
  observe_until(1s);
  advances = false;
  EXPECT_TRUE(observe_until(1200ms).empty());
  advances = true;
  EXPECT_TRUE(observe_until(2s).empty());
}

TEST_F(StallWatchTest, ProcessPauseIsNotAStall) {
  // Behind the pause either of the two threads may be the first to run.
  for (const bool loop_is_first : {false, true}) {
    advances = true;
    observe_until(now + 1s);
    now += 5s;
    advances = loop_is_first;
    const auto reports = observe_until(now + 100ms);
    ASSERT_EQ(reports.size(), 1u) << loop_is_first;
    EXPECT_EQ(reports[0].kind, Kind::process_paused);
    advances = true;
    EXPECT_TRUE(observe_until(now + 1s).empty());
  }
  EXPECT_EQ(watch.stalls(), 0u);
}

TEST_F(StallWatchTest, AWatcherThatDidNotRunAloneHasNothingToSay) {
  observe_until(1s);
  now += 5s;
  sample.beats += 90;  // of 100
  EXPECT_TRUE(observe_until(now + 1s).empty());
}

TEST_F(StallWatchTest, APauseWithinAStallDoesNotCount) {
  observe_until(1s);
  advances = false;
  EXPECT_EQ(observe_until(1300ms).size(), 1u);
  now += 5s;
  EXPECT_TRUE(observe_until(now + 100ms).empty());
  advances = true;
  const auto over = observe_until(now + 1s);
  ASSERT_EQ(over.size(), 1u);
  EXPECT_EQ(over[0].kind, Kind::goes_on);
}

TEST_F(StallWatchTest, TheNameIsTheLatestThatWasSeen) {
  observe_until(1s);
  advances = false;
  sample.handler = "first";
  observe_until(1300ms);
  sample.handler = "";  // between two handlers
  observe_until(1400ms);
  advances = true;
  const auto over = observe_until(2s);
  ASSERT_EQ(over.size(), 1u);
  EXPECT_THAT(to_string(over[0]), HasSubstr("'first' had blocked it for"));
}

TEST(StallDetector, NamesTheHandlerWhileItBlocksAndWhenItIsOver) {
  const daemon::test::LogCapture log;
  boost::asio::io_context loop;
  std::atomic<bool> in_handler{false};
  std::atomic<int> looks{0};
  std::optional<StallDetector> detector;
  detector.emplace(loop, 40ms, [&] {
    ++looks;
    return StallDetector::Handler{in_handler ? "sleeper" : "", 0ns};
  });
  boost::asio::post(loop, [&] {
    in_handler = true;
    // Until it was seen: a machine without time for the other thread takes longer.
    for (int i = 0; i < 500 && detector->stalls() == 0; ++i) std::this_thread::sleep_for(20ms);
    in_handler = false;
  });
  while (loop.run_one_for(10s) == 1 && detector->stalls() == 0) {
  }
  EXPECT_EQ(detector->stalls(), 1u);
  // The loop beats, and the watcher has looked at that, and has said what it had to.
  for (const int seen = looks; looks < seen + 4;) loop.run_one_for(20ms);
  detector.reset();
  EXPECT_THAT(log.text(), AllOf(HasSubstr("the loop is blocked for"), HasSubstr("by 'sleeper'"),
                                HasSubstr("the loop goes on: 'sleeper' had blocked it for")));
}

}  // namespace
}  // namespace starbus::nodes
