/// Sorting of indices and pairs, and the extents that spare tests of a crowd.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "aoi/arrays/sort_indices.hpp"
#include "aoi/index/extent.hpp"
#include "aoi/index/pairs.hpp"
#include "aoi/limits.hpp"

namespace starbus::aoi {
namespace {

RC_GTEST_PROP(SortIndices, SortsFewAndMany, ()) {
  std::vector<std::uint64_t> marks;
  const auto below = *rc::gen::element(40u, 300u, 2'000u, 1'000'000u);
  const auto some = *rc::gen::container<std::set<std::uint32_t>>(rc::gen::inRange(0u, below));
  std::vector<std::uint32_t> indices(some.rbegin(), some.rend());
  const auto first = static_cast<std::ptrdiff_t>(indices.size() / 3);
  std::rotate(indices.begin(), indices.begin() + first, indices.end());
  indices.push_back(below);  // nothing is written behind the last
  sort_indices(std::span(indices).first(some.size()), marks);
  RC_ASSERT(indices.back() == below);
  indices.pop_back();
  RC_ASSERT(std::equal(indices.begin(), indices.end(), some.begin(), some.end()));
  RC_ASSERT(std::all_of(marks.begin(), marks.end(), [](std::uint64_t word) { return word == 0; }));
}

RC_GTEST_PROP(SortIndices, CompareFindsWhatIsInOneListOnly, ()) {
  const auto gen = rc::gen::container<std::set<std::uint32_t>>(rc::gen::inRange(0u, 60u));
  const std::set<std::uint32_t> one = *gen;
  const std::set<std::uint32_t> other = *gen;
  std::vector<std::uint32_t> a(one.begin(), one.end());
  std::vector<std::uint32_t> b(other.begin(), other.end());
  std::vector<std::uint32_t> only_a;
  std::vector<std::uint32_t> only_b;
  std::vector<std::uint64_t> marks(2);
  compare(a, b, marks, only_a, only_b);
  RC_ASSERT(marks == std::vector<std::uint64_t>(2));
  std::vector<std::uint32_t> expected;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(expected));
  RC_ASSERT(only_a == expected);
  expected.clear();
  std::set_difference(b.begin(), b.end(), a.begin(), a.end(), std::back_inserter(expected));
  RC_ASSERT(only_b == expected);
  RC_ASSERT(a.size() == one.size() && b.size() == other.size());
}

RC_GTEST_PROP(Pairs, GroupBySensorSortsBySensor, ()) {
  const auto most = *rc::gen::element(7u, 4'000u, kMaxSensors + 0);
  const auto count = *rc::gen::inRange<std::size_t>(0, 400);
  std::vector<Pair> pairs;
  for (std::uint32_t i = 0; i < count; ++i) pairs.push_back({*rc::gen::inRange(0u, most), i});
  const auto sorted = [](std::vector<Pair> some) {
    std::vector<std::pair<SensorIndex, EntityIndex>> keys;
    for (const Pair& pair : some) keys.emplace_back(pair.sensor, pair.target);
    std::sort(keys.begin(), keys.end());
    return keys;
  };
  const auto expected = sorted(pairs);
  std::vector<Pair> scratch;
  group_by_sensor(pairs, scratch);
  RC_ASSERT(std::is_sorted(pairs.begin(), pairs.end(),
                           [](const Pair& a, const Pair& b) { return a.sensor < b.sensor; }));
  RC_ASSERT(sorted(pairs) == expected);
}

// Of positions and radii that meet exactly now and then.
RC_GTEST_PROP(Extent, SparesOnlyTestsWithTheSameResult, ()) {
  const auto at = [] { return static_cast<float>(*rc::gen::inRange(0, 40)) * 0.7F; };
  std::vector<Block> blocks(*rc::gen::inRange<std::size_t>(1, 4));
  for (Block& block : blocks) {
    for (std::size_t i = 0; i < kBlockPlaces; ++i) {
      const bool free = *rc::gen::inRange(0, 4) == 0;
      block.x[i] = free ? std::numeric_limits<float>::quiet_NaN() : at();
      block.y[i] = free ? 1e6F : at();
    }
  }
  const Metric metric = *rc::gen::element(Metric::circle, Metric::square);
  Query query{at(), at(), 0, limit_of(metric, at()), 0, 0, 0};
  query.stay_limit = query.enter_limit * *rc::gen::element(1.0F, 1.5F);
  const Extent::Seen seen = Extent::of(blocks).seen_by(query, metric);
  for (const Block& block : blocks) {
    for (std::size_t i = 0; i < kBlockPlaces; ++i) {
      if (std::isnan(block.x[i])) continue;
      const float measured = measure(metric, block.x[i] - query.x, block.y[i] - query.y);
      RC_ASSERT(seen != Extent::Seen::all || measured <= query.enter_limit);
      RC_ASSERT(seen != Extent::Seen::none || measured > query.stay_limit);
    }
  }
}

}  // namespace
}  // namespace starbus::aoi
