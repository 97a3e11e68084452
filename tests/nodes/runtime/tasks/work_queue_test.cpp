/// The queue of posted closures: order, bound, wake-ups, end; with real threads.
#include "nodes/runtime/tasks/work_queue.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace starbus::nodes {
namespace {

using bus::Errc;

TEST(WorkQueue, WakesTheLoopOnceUntilItHasSeenTheQueueEmpty) {
  int wakes = 0;
  WorkQueue queue([&] { ++wakes; });
  ASSERT_TRUE(queue.post("a", [] {}));
  ASSERT_TRUE(queue.post("b", [] {}));
  EXPECT_EQ(wakes, 1);
  EXPECT_TRUE(queue.take());
  ASSERT_TRUE(queue.post("c", [] {}));
  EXPECT_EQ(wakes, 1) << "it is awake";
  EXPECT_TRUE(queue.take());
  EXPECT_TRUE(queue.take());
  EXPECT_FALSE(queue.take());
  ASSERT_TRUE(queue.post("d", [] {}));
  EXPECT_EQ(wakes, 2);
}

TEST(WorkQueue, RefusesBeyondItsBoundAndTakesAgainWhenThereIsRoom) {
  WorkQueue queue([] {}, 3);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(queue.post("a", [] {}));
  EXPECT_EQ(queue.post("a", [] {}).error(), Errc::would_block);
  ASSERT_TRUE(queue.take());  // two are left, of those that were taken over at once
  EXPECT_EQ(queue.size(), 2u);
  EXPECT_TRUE(queue.post("a", [] {}));
  EXPECT_EQ(queue.post("a", [] {}).error(), Errc::would_block);
  queue.post_bounded("completion", [] {});
  EXPECT_EQ(queue.size(), 4u) << "whoever bounds what it posts is not refused";
}

TEST(WorkQueue, BehindItsEndNothingRunsAndNothingIsKept) {
  WorkQueue queue([] {});
  const auto kept = std::make_shared<int>(7);
  ASSERT_TRUE(queue.post("a", [kept] { FAIL(); }));
  ASSERT_TRUE(queue.post("b", [kept] { FAIL(); }));
  ASSERT_TRUE(queue.take());
  queue.close();
  EXPECT_EQ(kept.use_count(), 1);
  EXPECT_EQ(queue.post("c", [kept] { FAIL(); }).error(), Errc::closed);
  queue.post_bounded("d", [kept] { FAIL(); });
  EXPECT_EQ(kept.use_count(), 1);
  EXPECT_FALSE(queue.take());
}

TEST(WorkQueue, EachThreadKeepsItsOrderAndNothingIsLost) {
  constexpr int kThreads = 4;
  constexpr int kEach = 5'000;
  std::atomic<int> wakes{0};
  WorkQueue queue([&] { ++wakes; });
  std::vector<int> next(kThreads, 0);
  bool in_order = true;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < kEach; ++i) {
        const auto count = [&, thread, i] {
          in_order &= next[static_cast<std::size_t>(thread)]++ == i;
        };
        while (!queue.post("count", count)) std::this_thread::yield();
      }
    });
  }
  for (int left = kThreads * kEach; left > 0;) {
    const auto work = queue.take();
    if (!work) {
      std::this_thread::yield();
      continue;
    }
    work->run();
    --left;
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(in_order);
  EXPECT_GE(wakes, 1);
  EXPECT_EQ(queue.size(), 0u);
}

}  // namespace
}  // namespace starbus::nodes
