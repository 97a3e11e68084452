#include "nodes/space/node/tick_figures.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "nodes/space/node/limits.hpp"

namespace starbus::nodes::space {
namespace {

using namespace std::chrono_literals;
using Span = std::chrono::nanoseconds;

RC_GTEST_PROP(TickFiguresTest, PercentilesAreAtMostAnEighthAbove, ()) {
  const auto micros = *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::oneOf(
      rc::gen::inRange(-5, 40), rc::gen::inRange(0, 100'000), rc::gen::inRange(0, 60'000'000))));
  TickHistogram histogram;
  std::vector<Span> sorted;
  for (const int each : micros) {
    histogram.record(std::chrono::microseconds(each));
    sorted.push_back(std::chrono::microseconds(std::max(each, 0)));
  }
  std::ranges::sort(sorted);
  RC_ASSERT(histogram.count() == sorted.size());
  RC_ASSERT(histogram.max() == sorted.back());
  const double share = *rc::gen::inRange(0, 1001) / 1000.0;
  const auto rank = static_cast<std::size_t>(
      std::max(1.0, std::ceil(share * static_cast<double>(sorted.size()))));
  const Span exact = sorted[rank - 1];
  const Span told = histogram.percentile(share);
  RC_ASSERT(told >= exact);
  RC_ASSERT(told <= exact + exact / 8 + 1us);
  // Beyond what it tells apart.
  TickHistogram far;
  far.record(10min);
  RC_ASSERT(far.max() == 10min);
  RC_ASSERT(far.percentile(0.5) >= kLongestTick && far.percentile(0.5) <= 10min);
}

TEST(TickFiguresTest, AnEmptyHistogramIsZeroAndTwoMergeIntoOne) {
  TickHistogram one;
  EXPECT_EQ(one.percentile(0.99), 0ns);
  TickHistogram other;
  one.record(1ms);
  other.record(9ms);
  one.merge(other);
  EXPECT_EQ(one.count(), 2u);
  EXPECT_EQ(one.max(), 9ms);
  EXPECT_GE(one.percentile(0.5), 1ms);
  EXPECT_LE(one.percentile(0.5), 1126us);
}

TEST(TickFiguresTest, ShowTheLatestWholeWindow) {
  TickFigures figures;
  EXPECT_EQ(figures.window(1h).ticks, 0u);
  figures.record(1h + 1s, 5ms, 2ms, 3);
  EXPECT_EQ(figures.window(1h + 2s).ticks, 1u) << "before there is a whole one, what there is";
  EXPECT_EQ(figures.window(1h + 2s).missed, 3u);
  figures.record(1h + Span(kTickWindow) + 1s, 50ms, 2ms, 0);
  EXPECT_EQ(figures.window(1h + Span(kTickWindow) + 1s).late.max(), 5ms) << "the present one grows";
  EXPECT_EQ(figures.window(1h + 2 * Span(kTickWindow)).late.max(), 50ms);
  EXPECT_EQ(figures.window(1h + 5 * Span(kTickWindow)).ticks, 0u) << "it stood still for long";
  EXPECT_EQ(figures.ticks(), 2u);
  EXPECT_EQ(figures.missed(), 3u);
}

}  // namespace
}  // namespace starbus::nodes::space
