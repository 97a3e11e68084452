#include "aoi/wire/numbering.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "aoi/limits.hpp"

namespace starbus::aoi {
namespace {

TEST(Numbering, GivesTheSmallestNumberThatHasRested) {
  Numbering numbers;
  for (EntityIndex target = 10; target < 14; ++target) {
    EXPECT_EQ(numbers.take(target, 1), target - 9);
  }
  EXPECT_EQ(numbers.give_back(11, 2, 3), 2u);
  EXPECT_EQ(numbers.give_back(11, 2, 3), 0u) << "it has none any more";
  EXPECT_EQ(numbers.of(11), 0u);
  EXPECT_EQ(numbers.take(20, 5), 5u) << "2 rests for three updates after the one that told it";
  EXPECT_EQ(numbers.take(21, 6), 2u);
  EXPECT_EQ(numbers.of(21), 2u);
  EXPECT_EQ(numbers.in_use(), 5u);
}

TEST(Numbering, GivesNoneWhenAllAreInUseOrRest) {
  Numbering numbers;
  for (EntityIndex target = 1; target <= kMaxWireIndex; ++target) {
    ASSERT_EQ(numbers.take(target, 1), target);
  }
  EXPECT_EQ(numbers.take(70'000, 1), 0u);
  EXPECT_EQ(numbers.give_back(70'000, 1, 0), 0u);
  EXPECT_EQ(numbers.give_back(5, 1, 1), 5u);
  EXPECT_EQ(numbers.take(70'000, 2), 0u);
  EXPECT_EQ(numbers.take(70'000, 3), 5u);
}

// Beside a map: few targets and crowds, which are found in another way.
TEST(Numbering, AgreesWithAMapWhateverTheNumberOfTargets) {
  std::mt19937 chance(7);
  Numbering numbers;
  std::map<EntityIndex, std::uint16_t> used;
  std::map<std::uint16_t, std::uint64_t> resting;  // until
  const std::uint32_t quarantine = 4;
  for (std::uint64_t update = 1; update < 600; ++update) {
    const std::size_t wanted = update / 100 % 2 == 0 ? 12 : 150;
    for (int i = 0; i < 20; ++i) {
      const auto target = static_cast<EntityIndex>(chance() % 400);
      if (used.contains(target)) {
        if (used.size() < wanted && chance() % 4 != 0) continue;
        ASSERT_EQ(numbers.give_back(target, update, quarantine), used[target]);
        resting[used[target]] = update + 1 + quarantine;
        used.erase(target);
      } else if (used.size() < wanted) {
        std::uint16_t expected = 1;
        const auto taken = [&](std::uint16_t number) {
          const auto rest = resting.find(number);
          if (rest != resting.end() && rest->second > update) return true;
          return std::any_of(used.begin(), used.end(),
                             [&](const auto& one) { return one.second == number; });
        };
        while (taken(expected)) ++expected;
        ASSERT_EQ(numbers.take(target, update), expected);
        used[target] = expected;
      }
    }
    ASSERT_EQ(numbers.in_use(), used.size());
    for (const auto& [target, number] : used) ASSERT_EQ(numbers.of(target), number);
    std::size_t visited = 0;
    numbers.each([&](EntityIndex target, std::uint16_t number) {
      ++visited;
      EXPECT_EQ(used.at(target), number);
    });
    ASSERT_EQ(visited, used.size());
  }
}

}  // namespace
}  // namespace starbus::aoi
