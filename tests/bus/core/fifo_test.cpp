/// The store behaves like a deque whose content is contiguous.
#include "bus/core/fifo.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>

namespace starbus::bus {
namespace {

RC_GTEST_PROP(Fifo, BehavesLikeADeque, (std::vector<std::int16_t> script)) {
  Fifo<std::uint32_t> fifo;
  std::deque<std::uint32_t> model;
  std::uint32_t next = 0;
  for (const std::int16_t step : script) {
    if (step >= 0) {
      for (int i = 0; i < step % 1500; ++i) {
        fifo.push(next);
        model.push_back(next++);
      }
    } else {
      const std::size_t count =
          std::min(model.size(), static_cast<std::size_t>(-static_cast<int>(step)) % 1500);
      fifo.pop(count);
      model.erase(model.begin(), model.begin() + static_cast<std::ptrdiff_t>(count));
    }
    RC_ASSERT(fifo.size() == model.size());
    RC_ASSERT(fifo.empty() == model.empty());
    RC_ASSERT(std::equal(model.begin(), model.end(), fifo.data()));
  }
}

TEST(Fifo, PushesRanges) {
  Fifo<int> fifo;
  const int values[] = {1, 2, 3};
  fifo.push(values, 3);
  fifo.pop(1);
  fifo.push(values, 1);
  EXPECT_EQ(fifo.front(), 2);
  EXPECT_EQ(fifo.back(), 1);
  EXPECT_EQ(fifo[1], 3);
  fifo.clear();
  EXPECT_TRUE(fifo.empty());
  fifo.release();
  fifo.push(7);
  EXPECT_EQ(fifo.front(), 7);
}

TEST(Fifo, GivesStorageBack) {
  Fifo<int> fifo;
  for (int i = 0; i < 100; ++i) fifo.push(i);
  fifo.pop(100);
  EXPECT_GE(fifo.capacity(), 100U);  // little is kept
  fifo.release();
  EXPECT_EQ(fifo.capacity(), 0U);
  for (int i = 0; i < 100'000; ++i) fifo.push(i);
  fifo.pop(100'000);
  EXPECT_EQ(fifo.capacity(), 0U);
}

TEST(Fifo, ReclaimsTheSpaceInFront) {
  Fifo<std::uint64_t> fifo;
  fifo.push(0);
  const std::uint64_t* before = fifo.data();
  int returns = 0;  // of the content to the front of its storage
  for (std::uint64_t i = 1; i < 1'000'000; ++i) {
    fifo.push(i);
    fifo.pop(1);
    ASSERT_EQ(fifo.front(), i);
    returns += std::less<>{}(fifo.data(), before);
    before = fifo.data();
  }
  EXPECT_GT(returns, 100) << "a steady queue must not creep through memory";
}

}  // namespace
}  // namespace starbus::bus
