#include "aoi/world/schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/aoi/world/parts.hpp"

namespace starbus::aoi::test {
namespace {

TEST(Schedule, PeriodEvaluatesEachSensorOnceInIt) {
  Parts parts;
  SensorOptions of;
  of.period = 3;
  for (int i = 0; i < 6; ++i) (void)parts.add_sensor(parts.add_entity(0), of);
  std::uint32_t evaluated = 0;
  for (int i = 0; i < 3; ++i) {
    (void)parts.evaluate();
    EXPECT_EQ(parts.deltas.delta().evaluated, 2u) << "spread over the updates";
    evaluated += parts.deltas.delta().evaluated;
  }
  EXPECT_EQ(evaluated, 6u);
}

TEST(Schedule, BudgetPutsOffAtMostMaxStalenessTimes) {
  Budget budget;
  budget.pair_tests = 1;
  budget.max_staleness = 2;
  Parts parts(brute_force(budget));
  for (int i = 0; i < 4; ++i) (void)parts.add_sensor(parts.add_entity(0));
  UpdateReport report = parts.evaluate();
  EXPECT_EQ(parts.deltas.delta().evaluated, 1u) << "the first in any case";
  EXPECT_EQ(report.put_off, 3u);
  EXPECT_EQ(report.staleness, 1u);
  (void)parts.evaluate();
  report = parts.evaluate();
  EXPECT_GT(report.overdue, 0u) << "these may wait no longer";
  EXPECT_LE(report.staleness, 2u);
}

// Whatever the period is: what the budget puts off is its own to answer for.
TEST(Schedule, BudgetPutsASensorWithAPeriodOffAtMostMaxStalenessUpdates) {
  constexpr std::uint16_t kPeriod = 10;
  Budget budget;
  budget.pair_tests = 1;
  budget.max_staleness = 5;
  Parts parts(brute_force(budget));
  SensorOptions of;
  for (int i = 0; i < 3; ++i) {
    of.period = 1;
    of.priority = 9;
    (void)parts.add_sensor(parts.add_entity(0), of);
  }
  of.period = kPeriod;
  of.priority = 0;
  const SensorIndex late = parts.add_sensor(parts.add_entity(900), of);
  parts.tables.scene.always[late] = true;  // each look gives an entry
  int waited = 0;
  int longest = 0;
  for (int tick = 0; tick < 100; ++tick) {
    const UpdateReport report = parts.evaluate();
    EXPECT_LE(report.staleness, budget.max_staleness);
    ++waited;
    for (const Delta::Entry& entry : parts.deltas.delta().entries.all()) {
      if (entry.sensor() == late) waited = 0;
    }
    longest = std::max(longest, waited);
  }
  EXPECT_LE(longest, kPeriod + budget.max_staleness);
}

TEST(Schedule, RefusesMoreThanKMaxChanges) {
  Parts parts;
  for (int i = 0; i < 4; ++i) (void)parts.add_sensor(parts.add_entity(0));
  EXPECT_TRUE(parts.schedule.is_countable());
  EXPECT_TRUE(parts.schedule.is_countable(100));
  EXPECT_FALSE(parts.schedule.is_countable(10)) << "four sensors and four targets";
}

TEST(Schedule, BudgetEvaluatesTheHighestPriorityFirst) {
  Budget budget;
  budget.pair_tests = 1;
  Parts parts(brute_force(budget));
  SensorOptions of;
  (void)parts.add_sensor(parts.add_entity(0), of);
  of.priority = 9;
  const SensorIndex urgent = parts.add_sensor(parts.add_entity(0), of);
  (void)parts.evaluate();
  EXPECT_EQ(parts.tables.sensors[urgent].put_off, 0u);
  EXPECT_EQ(parts.deltas.delta().evaluated, 1u);
}

TEST(Schedule, TestsForListsAreHalfOfTheBudgetBesideOtherSensors) {
  Budget budget;
  budget.pair_tests = 7;
  Parts parts(brute_force(budget));
  EXPECT_EQ(parts.schedule.tests_for_lists(), 7u);
  (void)parts.add_sensor(parts.add_entity(0));
  EXPECT_EQ(parts.schedule.tests_for_lists(), 4u);
}

}  // namespace
}  // namespace starbus::aoi::test
