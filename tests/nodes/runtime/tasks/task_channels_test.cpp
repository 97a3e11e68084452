/// The promises of docs/guide/tasks.md, one by one, with real threads.
#include "nodes/runtime/tasks/task_channels.hpp"

#include <gmock/gmock.h>

#include <atomic>
#include <latch>
#include <map>
#include <numeric>
#include <stdexcept>
#include <thread>

#include "tests/nodes/test_loop.hpp"

namespace starbus::nodes {
namespace {

using namespace std::chrono_literals;
using bus::Errc;
using test::Loop;
using ::testing::ElementsAre;

class TaskChannelsTest : public ::testing::Test {
 protected:
  static constexpr auto nothing = [](const auto&) {};
  Loop loop;
};

TEST_F(TaskChannelsTest, OneChannelRunsInOrder) {
  TaskChannels tasks(loop, {.workers = 8});
  std::vector<int> ran, done;  // guarded by the order itself: tsan would see if that did not hold
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(tasks.submit(
        "a",
        [&ran, i] {
          ran.push_back(i);
          return i;
        },
        [&done](bus::Result<int> result) { done.push_back(*result); }));
  }
  loop.run(1000);
  std::vector<int> expected(1000);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(ran, expected);
  EXPECT_EQ(done, expected);
  EXPECT_TRUE(tasks.shutdown(1s).empty());
  EXPECT_EQ(tasks.counts().run, 1000u);
  EXPECT_EQ(tasks.counts().channels, 0u);
}

TEST_F(TaskChannelsTest, ManyChannelsEachInOrderAndNeverTwiceAtOnce) {
  constexpr int kChannels = 64;
  constexpr int kEach = 100;
  TaskChannels tasks(loop, {.workers = 6});
  struct Channel {
    std::atomic<int> inside{0};
    int next = 0;
    int next_done = 0;
  };
  std::vector<Channel> channels(kChannels);
  std::atomic<bool> wrong{false};
  for (int i = 0; i < kEach; ++i) {
    for (int c = 0; c < kChannels; ++c) {
      Channel& channel = channels[static_cast<std::size_t>(c)];
      ASSERT_TRUE(tasks.submit(
          "channel/" + std::to_string(c),
          [&channel, &wrong, i] {
            if (channel.inside.fetch_add(1) != 0 || channel.next++ != i) wrong = true;
            channel.inside.fetch_sub(1);
          },
          [&channel, &wrong, i](bus::Result<>) {
            if (channel.next_done++ != i) wrong = true;
          }));
    }
  }
  loop.run(kChannels * kEach);
  EXPECT_FALSE(wrong);
  EXPECT_TRUE(tasks.shutdown(1s).empty());
  const TaskCounts counts = tasks.counts();
  EXPECT_EQ(counts.submitted, counts.run);
  EXPECT_EQ(counts.waiting + counts.running + counts.channels, 0u);
}

TEST_F(TaskChannelsTest, UnorderedTasksAndDifferentChannelsRunAtOnce) {
  TaskChannels tasks(loop, {.workers = 4});
  for (const bool named : {false, true}) {
    std::latch all(4);  // passed only if four tasks run at the same time
    for (int i = 0; i < 4; ++i) {
      ASSERT_TRUE(tasks.submit(
          named ? std::to_string(i) : "", [&all] { all.arrive_and_wait(); }, nothing));
    }
    loop.run(4);
  }
}

TEST_F(TaskChannelsTest, AHotChannelDoesNotStarveOthers) {
  TaskChannels tasks(loop, {.workers = 1});
  std::latch begin(1);
  std::vector<std::string> order;
  const auto add = [&](const std::string& channel) {
    ASSERT_TRUE(tasks.submit(
        channel, [&order, channel] { order.push_back(channel); }, nothing));
  };
  ASSERT_TRUE(tasks.submit(
      "hot", [&begin] { begin.wait(); }, nothing));
  for (int i = 0; i < 1000; ++i) add("hot");
  add("cold");
  add("");
  begin.count_down();
  loop.run(1003);
  const auto place = [&](const std::string& channel) {
    return std::ranges::find(order, channel) - order.begin();
  };
  EXPECT_LT(place("cold"), 2 * static_cast<std::ptrdiff_t>(kTaskStreak));
  EXPECT_LT(place(""), 2 * static_cast<std::ptrdiff_t>(kTaskStreak));
}

TEST_F(TaskChannelsTest, CompletionsComeOnTheLoopAndNeverWithinSubmit) {
  TaskChannels tasks(loop);
  const auto here = std::this_thread::get_id();
  bool completed = false;
  ASSERT_TRUE(tasks.submit(
      "a", [] { return std::this_thread::get_id(); },
      [&](bus::Result<std::thread::id> worker) {
        EXPECT_NE(*worker, here);
        EXPECT_EQ(std::this_thread::get_id(), here);
        completed = true;
      }));
  EXPECT_FALSE(completed);
  loop.run(1);
  EXPECT_TRUE(completed);
}

TEST_F(TaskChannelsTest, WhatWorkThrowsIsAResult) {
  TaskChannels tasks(loop);
  std::vector<std::string> errors;
  const auto note = [&](bus::Result<int> result) { errors.push_back(result.error().to_string()); };
  ASSERT_TRUE(tasks.submit(
      "a", []() -> int { throw std::runtime_error("disk"); }, note));
  ASSERT_TRUE(tasks.submit(
      "a", []() -> int { throw 7; }, note));
  loop.run(2);
  EXPECT_THAT(errors, ElementsAre("handler_failed: disk", "handler_failed"));
}

TEST_F(TaskChannelsTest, EndedOwnerDropsCompletionsWorkStillRuns) {
  TaskChannels tasks(loop, {.workers = 1});
  auto owner = std::make_unique<TaskOwner>();
  std::latch ended(1);
  std::atomic<int> ran{0};
  auto captured = std::make_shared<int>(0);
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(tasks.submit(
        "a", *owner,
        [&] {
          ended.wait();
          ++ran;
        },
        [captured](bus::Result<>) { FAIL(); }));
  }
  owner.reset();
  ended.count_down();
  loop.run(3);
  EXPECT_EQ(ran, 3);
  EXPECT_EQ(tasks.counts().dropped, 3u);
  EXPECT_EQ(captured.use_count(), 1) << "what completions captured ends on the loop";
}

TEST_F(TaskChannelsTest, WhatIsNotCompletedIsBounded) {
  TaskChannels tasks(loop, {.workers = 1, .max_tasks = 10, .max_channel_tasks = 4});
  std::latch begin(1);
  ASSERT_TRUE(tasks.submit(
      "a", [&begin] { begin.wait(); }, nothing));
  while (tasks.counts().running == 0) std::this_thread::yield();
  for (int i = 0; i < 4; ++i)
    ASSERT_TRUE(tasks.submit(
        "a", [] {}, nothing));
  EXPECT_EQ(tasks
                .submit(
                    "a", [] {}, nothing)
                .error(),
            Errc::would_block);
  for (int i = 0; i < 5; ++i)
    ASSERT_TRUE(tasks.submit(
        "b" + std::to_string(i), [] {}, nothing));
  EXPECT_EQ(tasks
                .submit(
                    "c", [] {}, nothing)
                .error(),
            Errc::would_block);
  EXPECT_EQ(tasks
                .submit(
                    "", [] {}, nothing)
                .error(),
            Errc::would_block);
  begin.count_down();
  while (tasks.counts().run < 10) std::this_thread::yield();
  EXPECT_EQ(tasks
                .submit(
                    "c", [] {}, nothing)
                .error(),
            Errc::would_block)
      << "until their completions have run";
  loop.run(10);
  EXPECT_TRUE(tasks.submit(
      "c", [] {}, nothing));
  EXPECT_EQ(tasks
                .submit(
                    std::string(256, 'c'), [] {}, nothing)
                .error(),
            Errc::bad_name);
  loop.run(1);
}

TEST_F(TaskChannelsTest, CompletionsMaySubmit) {
  TaskChannels tasks(loop, {.workers = 2});
  int count = 0;
  std::function<void()> next = [&] {
    ASSERT_TRUE(tasks.submit(
        "a", [] {},
        [&](bus::Result<>) {
          if (++count < 100) next();
        }));
  };
  next();
  loop.run(100);
  EXPECT_EQ(count, 100);
}

TEST_F(TaskChannelsTest, ShutdownRunsWhatThereIs) {
  TaskChannels tasks(loop, {.workers = 3});
  std::atomic<int> ran{0};
  int done = 0;
  for (int i = 0; i < 500; ++i) {
    ASSERT_TRUE(tasks.submit(
        std::to_string(i % 7), [&] { ++ran; },
        [&](const bus::Result<>& result) {
          EXPECT_TRUE(result);
          ++done;
        }));
  }
  EXPECT_TRUE(tasks.shutdown(60s).empty());
  EXPECT_EQ(ran, 500);
  EXPECT_EQ(tasks
                .submit(
                    "a", [] {}, nothing)
                .error(),
            Errc::closed);
  EXPECT_EQ(loop.run_what_is_there(), 500u);
  EXPECT_EQ(done, 500);
  EXPECT_TRUE(tasks.shutdown(1s).empty()) << "a second one has nothing to do";
}

TEST_F(TaskChannelsTest, ShutdownDeadlineNamesRemainingWork) {
  // Shared with a thread that is left alone.
  struct Stuck {
    std::latch begun{1};
    std::latch let_go{1};
    std::latch gone{1};
  };
  const auto stuck = std::make_shared<Stuck>();
  std::vector<std::string> outcomes;
  TasksLeft left;
  {
    TaskChannels tasks(loop, {.workers = 1});
    const auto note = [&](const bus::Result<>& result) {
      outcomes.emplace_back(name_of(result ? Errc::ok : result.error().code));
    };
    ASSERT_TRUE(tasks.submit(
        "driver",
        [stuck] {
          stuck->begun.count_down();
          stuck->let_go.wait();
          stuck->gone.count_down();
        },
        note));
    stuck->begun.wait();
    ASSERT_TRUE(tasks.submit(
        "driver", [] { FAIL(); }, note));
    ASSERT_TRUE(tasks.submit(
        "other", [] { FAIL(); }, note));
    ASSERT_TRUE(tasks.submit(
        "", [] { FAIL(); }, note));
    left = tasks.shutdown(20ms);
    EXPECT_EQ(tasks.counts().waiting, 0u);
  }
  EXPECT_EQ(left.running, 1u);
  EXPECT_EQ(left.never_ran, 3u);
  ASSERT_EQ(left.channels.size(), 3u);
  EXPECT_EQ(left.channels[0].name, "");
  EXPECT_EQ(left.channels[1].name, "driver");
  EXPECT_EQ(left.channels[1].running, 1u);
  EXPECT_EQ(left.channels[1].never_ran, 1u);
  EXPECT_EQ(left.channels[2].name, "other");
  EXPECT_EQ(loop.run_what_is_there(), 4u);
  EXPECT_EQ(outcomes, std::vector<std::string>(4, "shutting_down"));
  stuck->let_go.count_down();
  stuck->gone.wait();
  EXPECT_EQ(loop.size(), 0u) << "its result is not posted any more";
}

TEST_F(TaskChannelsTest, ReportsABoundedNumberOfNames) {
  const auto release = std::make_shared<std::latch>(1);
  TaskChannels tasks(loop, {.workers = 1});
  ASSERT_TRUE(tasks.submit(
      "0", [release] { release->wait(); }, nothing));
  for (int i = 1; i < 200; ++i)
    ASSERT_TRUE(tasks.submit(
        std::to_string(i), [] {}, nothing));
  const TasksLeft left = tasks.shutdown(0ms);
  EXPECT_EQ(left.channels.size(), kMaxReportedChannels);
  EXPECT_EQ(left.never_ran + left.running, 200u);
  release->count_down();
}

}  // namespace
}  // namespace starbus::nodes
