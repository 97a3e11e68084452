/// The pseudo-random distribution: its published constants, its rate, and its longest row of
/// misses.
#include "entity/chance/pseudo_random_rate.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace starbus::entity {
namespace {

struct Row {
  double probability;
  double constant;
};
/// As they are published for Dota 2.
constexpr std::array kRows{
    Row{0.05, 0.003801658303553139101756466}, Row{0.10, 0.014745844781072675877050816},
    Row{0.15, 0.032220914373087674975117359}, Row{0.20, 0.055704042949781851858398652},
    Row{0.25, 0.084744091852316990275274806}, Row{0.30, 0.118949192725403987583755553},
    Row{0.35, 0.157983098125747077557540462}, Row{0.40, 0.201547413607754017070679639},
    Row{0.45, 0.249306998440163189714677100}, Row{0.50, 0.302103025348741965169160432},
    Row{0.55, 0.360397850933168697104686803}, Row{0.60, 0.422649730810374235490851220},
    Row{0.65, 0.481125478337229174401911323}, Row{0.70, 0.571428571428571428571428572},
    Row{0.75, 0.666666666666666666666666667}, Row{0.80, 0.75},
    Row{0.85, 0.823529411764705882352941177}, Row{0.90, 0.888888888888888888888888889},
    Row{0.95, 0.947368421052631578947368421}};

TEST(PseudoRandomRate, HasThePublishedConstants) {
  for (const Row& row : kRows) {
    const auto rate = PseudoRandomRate::of(row.probability);
    ASSERT_TRUE(rate);
    EXPECT_NEAR(rate->constant(), row.constant, 1e-12) << row.probability;
    EXPECT_NEAR(probability_of_constant(row.constant), row.probability, 1e-12);
  }
}

/// The mean number of tries as its definition says, term by term.
double by_definition(double constant) {
  double by_then = 0;
  double sum = 0;
  const double most = std::ceil(1 / constant);
  for (double n = 1; n <= most; ++n) {
    const double on_this = std::min(1.0, n * constant) * (1 - by_then);
    by_then += on_this;
    sum += n * on_this;
  }
  return 1 / sum;
}

TEST(PseudoRandomRate, AgreesWithItsDefinition) {
  RandomStream stream(9);
  for (int i = 0; i < 200; ++i) {
    const double constant = std::max(1e-4, stream.unit() * stream.unit());
    EXPECT_NEAR(probability_of_constant(constant), by_definition(constant), 1e-12) << constant;
  }
}

TEST(PseudoRandomRate, SucceedsAsOftenAsItsProbabilitySays) {
  constexpr int kTries = 1'000'000;
  for (const Row& row : kRows) {
    const auto rate = PseudoRandomRate::of(row.probability);
    RandomStream stream(11, "rate");
    std::uint32_t misses = 0;
    int successes = 0;
    for (int i = 0; i < kTries; ++i) successes += rate->roll(stream, misses) ? 1 : 0;
    const double expected = row.probability * kTries;
    EXPECT_NEAR(successes, expected, 0.005 * expected) << row.probability;
  }
}

TEST(PseudoRandomRate, NoRowOfMissesIsLongerThanItsConstantAllows) {
  const auto rate = PseudoRandomRate::of(0.25);
  EXPECT_EQ(rate->certain_try(), 12U);
  RandomStream stream(12);
  std::array<int, 13> at_try{};  // successes, by the try at which they came
  std::uint32_t misses = 0;
  int rows = 0;
  for (int i = 0; i < 1'000'000; ++i) {
    const std::uint32_t tried = misses + 1;
    ASSERT_LE(tried, 12U);
    if (!rate->roll(stream, misses)) continue;
    ++at_try[tried];
    ++rows;
  }
  // Of those that come to try n, n * C succeed there: 8.5 %, 17 %, 25.5 %.
  double left = rows;
  for (std::size_t n = 1; n <= 3; ++n) {
    EXPECT_NEAR(at_try[n] / left, static_cast<double>(n) * 0.0847, 0.005) << n;
    left -= at_try[n];
  }
}

TEST(PseudoRandomRate, EndsAreCertain) {
  const auto never = PseudoRandomRate::of(0);
  const auto always = PseudoRandomRate::of(1);
  RandomStream stream(13);
  std::uint32_t misses = std::numeric_limits<std::uint32_t>::max() - 1;
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(never->roll(stream, misses));
  EXPECT_EQ(misses, std::numeric_limits<std::uint32_t>::max());
  EXPECT_TRUE(always->roll(stream, misses));
  EXPECT_EQ(misses, 0U);
  EXPECT_TRUE(always->roll(stream, misses));
  EXPECT_EQ(never->certain_try(), 0U);
  EXPECT_EQ(always->certain_try(), 1U);
}

TEST(PseudoRandomRate, MissesAreKeptWhenTheRateChanges) {
  const auto rare = PseudoRandomRate::of(0.05);
  const auto likely = PseudoRandomRate::of(0.75);
  RandomStream stream(14);
  std::uint32_t misses = 0;
  while (misses < 2) static_cast<void>(rare->roll(stream, misses));
  EXPECT_TRUE(likely->roll(stream, misses));  // the third try of a rate whose second is certain
}

TEST(PseudoRandomRate, RefusesWhatIsNoProbability) {
  for (const double bad : {-0.1, 1.1, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_EQ(PseudoRandomRate::of(bad).error(), ChanceErrc::bad_probability);
  }
  EXPECT_EQ(PseudoRandomRate::of(0.9e-5).error(), ChanceErrc::too_rare);
  const auto rarest = PseudoRandomRate::of(1e-5);
  ASSERT_TRUE(rarest);
  EXPECT_NEAR(probability_of_constant(rarest->constant()), 1e-5, 1e-15);
}

}  // namespace
}  // namespace starbus::entity
