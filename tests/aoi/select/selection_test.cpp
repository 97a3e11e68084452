/// The selection of shown targets against a direct form of the rule.
#include "aoi/select/selection.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace starbus::aoi {
namespace {

bool before(const Ranked& a, const Ranked& b) {
  return ranks_before(a, b);
}

/// Up to a hundred, so that every way of sorting is gone; distances of few values collide.
std::vector<Ranked> some(bool weighted, int distances, EntityIndex first) {
  std::vector<Ranked> made(*rc::gen::inRange<std::size_t>(0, 100));
  for (Ranked& one : made) {
    one.weight = weighted ? static_cast<float>(*rc::gen::inRange(0, 3)) : 0;
    one.distance_squared = static_cast<float>(*rc::gen::inRange(0, distances));
    one.entity = first++;
  }
  std::reverse(made.begin(), made.end());
  return made;
}

std::vector<Ranked> any(EntityIndex first) {
  return some(*rc::gen::inRange(0, 4) == 0, *rc::gen::element(4, 1 << 30), first);
}

std::vector<EntityIndex> entities(const std::vector<Ranked>& of) {
  std::vector<EntityIndex> found;
  for (const Ranked& one : of) found.push_back(one.entity);
  return found;
}

RC_GTEST_PROP(SortRanked, SortsByRanksBefore, ()) {
  std::vector<Ranked> sorted = any(1);
  std::vector<Ranked> expected = sorted;
  std::sort(expected.begin(), expected.end(), before);
  sort_ranked(sorted);
  RC_ASSERT(entities(sorted) == entities(expected));
}

RC_GTEST_PROP(Select, BestNewcomersTakeFreePlacesThenThoseOfTheWorst, ()) {
  std::vector<Ranked> shown = any(1);
  std::vector<Ranked> newcomers = any(1000);
  const auto count = *rc::gen::inRange<std::size_t>(1, 70);
  const float margin = *rc::gen::element(0.0F, 0.1F);

  std::vector<Ranked> expected = shown;
  std::vector<Ranked> waiting = newcomers;
  std::sort(expected.begin(), expected.end(), before);
  std::sort(waiting.begin(), waiting.end(), before);
  if (expected.size() > count) expected.resize(count);
  std::size_t next = 0;
  while (expected.size() < count && next < waiting.size()) expected.push_back(waiting[next++]);
  std::sort(expected.begin(), expected.end(), before);
  for (std::size_t worst = expected.size(); worst > 0 && next < waiting.size(); ++next) {
    if (!displaces(waiting[next], expected[--worst], margin)) break;
    expected[worst] = waiting[next];
  }

  select(shown, newcomers, count, margin);
  std::vector<EntityIndex> found = entities(shown);
  std::vector<EntityIndex> wanted = entities(expected);
  std::sort(found.begin(), found.end());
  std::sort(wanted.begin(), wanted.end());
  RC_ASSERT(found == wanted);
}

}  // namespace
}  // namespace starbus::aoi
