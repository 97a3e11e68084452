#include "bus/core/ends/call_numbers.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <unordered_set>
#include <vector>

namespace starbus::bus {
namespace {

CallNumbers::Key key_of(int value) {
  CallNumbers::Key key{};
  key[3] = static_cast<std::byte>(value);
  return key;
}

TEST(CallNumbersTest, AreAllDifferentAndNoneIsZero) {
  CallNumbers numbers(key_of(1));
  std::unordered_set<std::uint64_t> seen{0};
  for (int i = 0; i < 100'000; ++i) ASSERT_TRUE(seen.insert(numbers.next()).second);
}

TEST(CallNumbersTest, FollowFromTheKeyAlone) {
  CallNumbers one(key_of(1));
  CallNumbers same(key_of(1));
  CallNumbers other(key_of(2));
  for (int i = 0; i < 200; ++i) {
    const std::uint64_t number = one.next();
    EXPECT_EQ(number, same.next());
    EXPECT_NE(number, other.next());
  }
}

TEST(CallNumbersTest, KnowTheirOwnFromOthers) {
  CallNumbers numbers(key_of(1));
  std::vector<std::uint64_t> drawn;
  for (int i = 0; i < 1'000; ++i) drawn.push_back(numbers.next());
  for (const std::uint64_t number : drawn) {
    EXPECT_TRUE(numbers.has_drawn(number));
    EXPECT_FALSE(numbers.has_drawn(number + 1));
    EXPECT_FALSE(numbers.has_drawn(number - 1));
  }
  for (std::uint64_t guess = 0; guess < 10'000; ++guess) EXPECT_FALSE(numbers.has_drawn(guess));
  CallNumbers ahead(key_of(1));
  for (int i = 0; i < 1'000; ++i) (void)ahead.next();
  EXPECT_FALSE(numbers.has_drawn(ahead.next())) << "made, but not returned yet";
}

/// Neighbours differ in about half of their bits.
TEST(CallNumbersTest, LookRandom) {
  CallNumbers numbers(key_of(1));
  constexpr int kCount = 10'000;
  int bits = 0;
  std::uint64_t before = numbers.next();
  for (int i = 0; i < kCount; ++i) {
    const std::uint64_t number = numbers.next();
    bits += std::popcount(number ^ before);
    before = number;
  }
  EXPECT_NEAR(static_cast<double>(bits) / kCount, 32.0, 0.5);
}

}  // namespace
}  // namespace starbus::bus
