// Ways that are the same in each run.
#include "tools/bots/paths.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>

namespace starbus::bots {
namespace {

// The same values come of bench/space/colyseus/paths.cjs.
TEST(BotPaths, ChancesAreTheSameEverywhere) {
  constexpr double kAll = 4294967296.0;
  constexpr std::uint32_t kLast = 4'294'967'295;
  EXPECT_EQ(chance_of(7, 1, 0) * kAll, 828'898'282);
  EXPECT_EQ(chance_of(7, 1, 1) * kAll, 3'346'961'407);
  EXPECT_EQ(chance_of(7, 1'000, 5) * kAll, 3'556'182'644);
  EXPECT_EQ(chance_of(kLast, 0, kLast) * kAll, 2'180'083'513);
}

TEST(BotPaths, ChancesAreEvenlySpreadOverBotsAndDraws) {
  std::array<int, 10> over_bots{};
  std::array<int, 10> over_draws{};
  std::set<double> all;
  for (std::uint32_t i = 0; i < 10'000; ++i) {
    ++over_bots.at(static_cast<std::size_t>(10 * chance_of(7, i, 0)));
    ++over_draws.at(static_cast<std::size_t>(10 * chance_of(7, 1, i)));
    all.insert(chance_of(7, i, 1));
  }
  for (const auto& counts : {over_bots, over_draws}) {
    for (const int count : counts) EXPECT_NEAR(count, 1'000, 150);
  }
  EXPECT_GT(all.size(), 9'990U);
}

}  // namespace
}  // namespace starbus::bots
