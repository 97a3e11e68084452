/// Streams of random numbers: the published sequence, even choice, independence of purposes.
#include "entity/chance/random_stream.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "entity/archive/archive.hpp"

namespace starbus::entity {
namespace {

using testing::ElementsAre;

/// xoshiro256** as its authors publish it, over the words that SplitMix64 gives for seed 0.
TEST(RandomStream, GivesThePublishedSequence) {
  std::uint64_t at = 0;
  std::array<std::uint64_t, 4> s{};
  for (std::uint64_t& word : s) {
    std::uint64_t z = (at += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    word = z ^ (z >> 31);
  }
  EXPECT_EQ(s[0], 0xe220a8397b1dcdafU);  // the first number of SplitMix64 for 0, as published
  RandomStream stream(0);
  const auto left = [](std::uint64_t x, int k) { return (x << k) | (x >> (64 - k)); };
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t expected = left(s[1] * 5, 7) * 9;
    const std::uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = left(s[3], 45);
    ASSERT_EQ(stream(), expected);
  }
}

/// Golden: the same on every machine and in every version, or saved games replay differently.
TEST(RandomStream, IsTheSameEverywhere) {
  RandomStream stream(42, "loot");
  EXPECT_THAT((std::array{stream.below(6), stream.below(6), stream.below(6), stream.below(6)}),
              ElementsAre(1, 4, 0, 1));
  EXPECT_EQ(stream.between(-1000, 1000), -125);
  EXPECT_EQ(stream.unit() * 0x1p53, 5679291664818947.0);
  std::array cards{1, 2, 3, 4, 5};
  stream.shuffle(std::span<int>(cards));
  EXPECT_THAT(cards, ElementsAre(4, 1, 5, 3, 2));
}

TEST(RandomStream, PurposesOfOneSeedAreIndependent) {
  RandomStream loot(7, "loot");
  RandomStream critical(7, "critical");
  int equal_bits = 0;
  for (int i = 0; i < 1000; ++i) equal_bits += 64 - std::popcount(loot() ^ critical());
  EXPECT_NEAR(equal_bits, 32'000, 4 * std::sqrt(64'000 * 0.25));
  EXPECT_NE(RandomStream(7), RandomStream(7, "loot"));
}

TEST(RandomStream, BelowIsEvenAndBounded) {
  RandomStream stream(1);
  for (const std::uint64_t n : {1U, 2U, 3U, 6U, 7U, 64U}) {
    constexpr int kDraws = 60'000;
    std::map<std::uint64_t, int> counts;
    for (int i = 0; i < kDraws; ++i) ++counts[stream.below(n)];
    ASSERT_EQ(counts.size(), n);
    double chi_square = 0;
    for (const auto& [value, count] : counts) {
      ASSERT_LT(value, n);
      const double expected = static_cast<double>(kDraws) / static_cast<double>(n);
      chi_square += (count - expected) * (count - expected) / expected;
    }
    // Mean n - 1, variance 2 (n - 1).
    EXPECT_LT(chi_square,
              static_cast<double>(n - 1) + 4 * std::sqrt(2.0 * static_cast<double>(n)) + 1e-9)
        << n;
  }
  EXPECT_EQ(stream.below(0), 0U);
  constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
  EXPECT_LT(stream.below(kMost), kMost);
}

TEST(RandomStream, BetweenIncludesItsEnds) {
  RandomStream stream(2);
  std::map<std::int64_t, int> counts;
  for (int i = 0; i < 3000; ++i) ++counts[stream.between(1, -1)];
  EXPECT_EQ(counts.size(), 3U);
  EXPECT_EQ(counts.begin()->first, -1);
  EXPECT_EQ(counts.rbegin()->first, 1);
  EXPECT_EQ(stream.between(5, 5), 5);
  using Limits = std::numeric_limits<std::int64_t>;
  std::uint64_t bits = 0;
  for (int i = 0; i < 200; ++i) {
    bits |= static_cast<std::uint64_t>(stream.between(Limits::min(), Limits::max()));
  }
  EXPECT_EQ(bits, RandomStream::max());
}

TEST(RandomStream, HappensAsOftenAsItsProbabilitySays) {
  RandomStream stream(3);
  int criticals = 0;
  for (int i = 0; i < 100'000; ++i) criticals += stream.happens(0.25) ? 1 : 0;
  EXPECT_NEAR(criticals, 25'000, 4 * std::sqrt(100'000 * 0.25 * 0.75));
  for (int i = 0; i < 1000; ++i) {
    EXPECT_FALSE(stream.happens(0));
    EXPECT_FALSE(stream.happens(-1));
    EXPECT_FALSE(stream.happens(std::numeric_limits<double>::quiet_NaN()));
    EXPECT_TRUE(stream.happens(1));
    EXPECT_TRUE(stream.happens(7));
  }
}

TEST(RandomStream, AProbabilityThatChangesDoesNotShiftWhatFollows) {
  RandomStream one(4);
  RandomStream other(4);
  static_cast<void>(one.happens(0));
  static_cast<void>(other.happens(1));
  EXPECT_EQ(one, other);
}

TEST(RandomStream, ShufflesEvenly) {
  RandomStream stream(5);
  std::map<std::array<int, 3>, int> orders;
  for (int i = 0; i < 6000; ++i) {
    std::array cards{1, 2, 3};
    stream.shuffle(std::span<int>(cards));
    ++orders[cards];
  }
  ASSERT_EQ(orders.size(), 6U);
  for (const auto& [order, count] : orders) {
    EXPECT_NEAR(count, 1000, 4 * std::sqrt(6000.0 / 6 * 5 / 6));
  }
}

TEST(RandomStream, GoesOnWhereItWasWritten) {
  RandomStream stream(6, "travel");
  static_cast<void>(stream());
  const DataResult<Bytes> bytes = encode(stream);
  ASSERT_TRUE(bytes);
  auto there = decode_all<RandomStream>(*bytes);
  ASSERT_TRUE(there);
  EXPECT_EQ(std::get<0>(*there), stream);
  EXPECT_EQ(std::get<0>(*there)(), stream());
}

}  // namespace
}  // namespace starbus::entity
