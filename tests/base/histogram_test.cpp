#include "base/histogram.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <vector>

namespace starbus {
namespace {

TEST(Histogram, IsEmptyAtFirst) {
  const Histogram histogram;
  EXPECT_EQ(histogram.count(), 0U);
  EXPECT_EQ(histogram.percentile(99), 0);
  EXPECT_EQ(histogram.min(), 0);
  EXPECT_EQ(histogram.max(), 0);
  EXPECT_EQ(histogram.mean(), 0);
}

TEST(Histogram, IsExactForSmallValues) {
  Histogram histogram;
  for (int value = 1; value <= 100; ++value) histogram.record(value);
  EXPECT_EQ(histogram.percentile(0), 1);
  EXPECT_EQ(histogram.percentile(50), 50);
  EXPECT_EQ(histogram.percentile(99), 99);
  EXPECT_EQ(histogram.percentile(100), 100);
  EXPECT_DOUBLE_EQ(histogram.mean(), 50.5);
}

TEST(Histogram, HoldsTheExtremes) {
  Histogram histogram;
  histogram.record(-5);
  histogram.record(INT64_MAX);
  EXPECT_EQ(histogram.percentile(50), 0);
  EXPECT_EQ(histogram.percentile(100), INT64_MAX);
  EXPECT_EQ(histogram.max(), INT64_MAX);
}

TEST(Histogram, KeepsEveryPowerOfTwoWithinOnePercent) {
  for (int bit = 0; bit < 62; ++bit) {
    for (const std::int64_t offset : {-1, 0, 1}) {
      const std::int64_t value = (std::int64_t{1} << bit) + offset;
      Histogram histogram;
      histogram.record(value);
      histogram.record(INT64_MAX);  // so that the maximum does not hide the bucket's upper end
      const std::int64_t found = histogram.percentile(50);
      EXPECT_GE(found, value);
      EXPECT_LE(static_cast<double>(found), static_cast<double>(value) * 1.01);
    }
  }
}

TEST(Histogram, AgreesWithSortedValues) {
  std::mt19937_64 random(7);
  std::lognormal_distribution<double> latency(10, 2);
  std::vector<std::int64_t> values;
  const auto left = std::make_unique<Histogram>();
  const auto right = std::make_unique<Histogram>();
  for (int i = 0; i < 100'000; ++i) {
    values.push_back(static_cast<std::int64_t>(latency(random)));
    (i % 2 == 0 ? *left : *right).record(values.back());
  }
  left->merge(*right);
  std::sort(values.begin(), values.end());
  for (const double percent : {1.0, 25.0, 50.0, 90.0, 99.0, 99.9, 100.0}) {
    const auto rank = static_cast<std::size_t>(std::ceil(percent / 100 * 100'000.0)) - 1;
    const auto exact = static_cast<double>(values[rank]);
    const auto found = static_cast<double>(left->percentile(percent));
    EXPECT_GE(found, exact) << percent;
    EXPECT_LE(found, exact * 1.01 + 1) << percent;
  }
}

}  // namespace
}  // namespace starbus
