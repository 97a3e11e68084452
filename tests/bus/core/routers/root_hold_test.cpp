#include "bus/core/routers/root/root_hold.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace starbus::bus {
namespace {

struct HoldTest : ::testing::Test {
  HoldQueues hold;
  std::vector<std::string> seen;

  bool put(std::uint64_t channel, const std::string& text, std::uint64_t ms = 0) {
    return hold.hold({channel, 0}, Kind::data, as_bytes(text), from_ms(ms));
  }
  HoldQueues::Visit take(std::size_t limit = 1000) {
    return [this, limit](Kind kind, ByteView payload) {
      EXPECT_EQ(kind, Kind::data);
      if (seen.size() == limit) return false;
      seen.emplace_back(as_text(payload));
      return true;
    };
  }
};

TEST_F(HoldTest, ReleasesInOrderAndPerName) {
  EXPECT_TRUE(put(1, "a") && put(2, "b") && put(1, "c"));
  hold.release({1, 0}, take());
  EXPECT_EQ(seen, (std::vector<std::string>{"a", "c"}));
  EXPECT_EQ(hold.names(), 1u);
  hold.release_all(take());
  EXPECT_EQ(seen.back(), "b");
  EXPECT_EQ(hold.bytes(), 0u);
  hold.release({1, 0}, take());
}

TEST_F(HoldTest, KeepsWhatTheVisitorRefuses) {
  EXPECT_TRUE(put(1, "a") && put(1, "b"));
  hold.release({1, 0}, take(1));
  EXPECT_EQ(seen, std::vector<std::string>{"a"});
  EXPECT_EQ(hold.names(), 1u);
  hold.release({1, 0}, take());
  EXPECT_EQ(seen.back(), "b");
}

TEST_F(HoldTest, IsBoundedPerNameAndInTotal) {
  const std::string large(kHoldQueue / 2, 'x');
  EXPECT_TRUE(put(1, large));
  EXPECT_FALSE(put(1, large));
  std::uint64_t name = 2;
  while (put(name, large)) ++name;
  EXPECT_LE(hold.bytes(), kHoldTotal);
  EXPECT_GT(hold.bytes() + kHoldQueue, kHoldTotal);
  hold.release({1, 0}, take());
  EXPECT_TRUE(put(name, large));
}

TEST_F(HoldTest, GivesUpByAge) {
  EXPECT_TRUE(put(1, "old", 0) && put(1, "young", 5000) && put(2, "young", 5000));
  hold.expire(kQueueAge, take());
  EXPECT_TRUE(seen.empty());
  hold.expire(kQueueAge + 1ms, take());
  EXPECT_EQ(seen, std::vector<std::string>{"old"});
  hold.expire(kQueueAge + 5001ms, take());
  EXPECT_EQ(hold.bytes(), 0u);
  EXPECT_EQ(hold.names(), 0u);
}

}  // namespace
}  // namespace starbus::bus
