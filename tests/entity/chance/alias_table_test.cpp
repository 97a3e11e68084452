/// Choice by weight: the share of each entry is exact in every order of the entries.
#include "entity/chance/alias_table.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "entity/chance/limits.hpp"

namespace starbus::entity {
namespace {

using Weights = std::vector<std::uint32_t>;

void expect_exact(const Weights& weights) {
  const auto table = AliasTable::of(weights);
  ASSERT_TRUE(table);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    ASSERT_EQ(table->share_of(i), std::uint64_t{weights[i]} * weights.size())
        << testing::PrintToString(weights) << " at " << i;
  }
}

TEST(AliasTable, SharesAreExactInAllOrders) {
  for (Weights weights : {Weights{1, 1, 4, 6}, Weights{1, 1, 2}}) {
    std::sort(weights.begin(), weights.end());
    do {
      expect_exact(weights);
    } while (std::next_permutation(weights.begin(), weights.end()));
  }
  // Equal entries count apart: all 24 orders of four.
  std::array places{0, 1, 2, 3};
  constexpr std::array<std::uint32_t, 4> kExample{6, 4, 1, 1};
  int orders = 0;
  do {
    Weights weights;
    for (const int place : places) weights.push_back(kExample[static_cast<std::size_t>(place)]);
    expect_exact(weights);
    ++orders;
  } while (std::next_permutation(places.begin(), places.end()));
  EXPECT_EQ(orders, 24);
}

TEST(AliasTable, SharesOfRandomWeightsAreExact) {
  RandomStream stream(21);
  for (int i = 0; i < 300; ++i) {
    Weights weights(1 + stream.below(60));
    for (std::uint32_t& weight : weights) {
      weight = static_cast<std::uint32_t>(stream() >> (32 + stream.below(33)));
    }
    weights[stream.below(weights.size())] = 1;
    expect_exact(weights);
  }
}

TEST(AliasTable, ChoosesByWeight) {
  const Weights weights{6, 4, 1, 0, 1};
  const auto table = AliasTable::of(weights);
  RandomStream stream(22);
  constexpr int kDraws = 1'000'000;
  std::array<int, 5> counts{};
  for (int i = 0; i < kDraws; ++i) ++counts[table->choose(stream)];
  EXPECT_EQ(counts[3], 0);
  double chi_square = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double expected = kDraws * weights[i] / 12.0;
    if (expected > 0) chi_square += std::pow(counts[i] - expected, 2) / expected;
  }
  EXPECT_LT(chi_square, 16.3);  // p = 0.001 with three degrees of freedom
}

TEST(AliasTable, ASingleEntryIsAlwaysChosen) {
  const auto table = AliasTable::of(Weights{5});
  RandomStream stream(23);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(table->choose(stream), 0U);
}

TEST(AliasTable, TheLargestWeightsFit) {
  Weights weights(kMaxWeights, std::numeric_limits<std::uint32_t>::max());
  weights[7] = 0;
  const auto table = AliasTable::of(weights);
  ASSERT_TRUE(table);
  EXPECT_EQ(table->total_weight(), (kMaxWeights - 1) * std::uint64_t{0xffffffff});
  EXPECT_EQ(table->share_of(7), 0U);
  EXPECT_EQ(table->share_of(8), kMaxWeights * std::uint64_t{0xffffffff});
  RandomStream stream(24);
  for (int i = 0; i < 1000; ++i) ASSERT_LT(table->choose(stream), kMaxWeights);
}

TEST(AliasTable, RefusesWhatCannotBeChosenFrom) {
  EXPECT_EQ(AliasTable::of({}).error(), ChanceErrc::no_weight);
  EXPECT_EQ(AliasTable::of(Weights{0, 0}).error(), ChanceErrc::no_weight);
  EXPECT_EQ(AliasTable::of(Weights(kMaxWeights + 1, 1)).error(), ChanceErrc::too_many_weights);
}

}  // namespace
}  // namespace starbus::entity
