#include "base/compact_queue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <random>

namespace starbus {
namespace {

using Item = std::shared_ptr<int>;

/// It shows the same as a std::deque to which the same is done.
TEST(CompactQueue, BehavesAsADeque) {
  std::mt19937 random(1);
  CompactQueue<Item> queue;
  std::deque<Item> oracle;
  for (int step = 0; step < 20'000; ++step) {
    const bool grows = random() % 100 < (step / 500 % 2 == 0 ? 55U : 45U);
    if (grows) {
      const auto item = std::make_shared<int>(step);
      queue.push_back(item);
      oracle.push_back(item);
    } else if (!oracle.empty()) {
      queue.pop_front();
      oracle.pop_front();
    }
    if (random() % 20 == 0) {
      queue.push_front(std::make_shared<int>(-step));
      oracle.push_front(queue.front());
    }
    if (random() % 1'000 == 0) {
      const auto drops = [](const Item& item) { return *item % 3 == 0; };
      queue.erase_if(drops);
      std::erase_if(oracle, drops);
      const std::size_t size = oracle.size() / 2;
      queue.resize(size);
      oracle.resize(size);
    }
    ASSERT_EQ(queue.size(), oracle.size());
    ASSERT_EQ(queue.empty(), oracle.empty());
    if (oracle.empty()) continue;
    ASSERT_EQ(queue.front(), oracle.front());
    ASSERT_EQ(queue.back(), oracle.back());
    const std::size_t at = random() % oracle.size();
    ASSERT_EQ(queue[at], oracle[at]);
    if (step % 100 == 0) {
      ASSERT_TRUE(std::ranges::equal(queue, oracle));
    }
  }
}

TEST(CompactQueue, AnEmptyOneHasNoStorage) {
  CompactQueue<int> queue;
  EXPECT_EQ(queue.capacity(), 0U);
  queue.push_back(1);
  queue.pop_front();
  EXPECT_EQ(queue.capacity(), 0U);
  queue.push_back(1);
  queue.resize(0);
  EXPECT_EQ(queue.capacity(), 0U);
  queue.push_back(1);
  queue.erase_if([](int) { return true; });
  EXPECT_EQ(queue.capacity(), 0U);
}

TEST(CompactQueue, WhatIsPoppedIsFreedAtOnce) {
  CompactQueue<Item> queue;
  const auto first = std::make_shared<int>(1);
  queue.push_back(first);
  queue.push_back(std::make_shared<int>(2));
  queue.pop_front();
  EXPECT_EQ(first.use_count(), 1);
}

/// The room in front stays smaller than the content: elements that come and go need no more.
TEST(CompactQueue, StorageFollowsTheContent) {
  CompactQueue<int> queue;
  for (int i = 0; i < 10; ++i) queue.push_back(i);
  const int* least = queue.begin();
  const int* most = queue.end();
  for (int i = 0; i < 10'000; ++i) {
    queue.push_back(i);
    queue.pop_front();
    if (i == 100) {
      least = most = queue.begin();
    } else if (i > 100) {
      least = std::min<const int*>(least, queue.begin());
      most = std::max<const int*>(most, queue.end());
    }
  }
  EXPECT_LT(most - least, 64);
}

}  // namespace
}  // namespace starbus
