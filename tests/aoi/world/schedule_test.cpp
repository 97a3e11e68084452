#include "aoi/world/schedule.hpp"

#include <gtest/gtest.h>

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
