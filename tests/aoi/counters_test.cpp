/// Updates and queries count their own work, and it is as little as promised: no entity that cannot
/// be in range is tested, and entities that stand still cost nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "aoi/index/axis_list.hpp"
#include "tests/aoi/worlds.hpp"

namespace starbus::aoi::test {
namespace {

class Grids : public ::testing::TestWithParam<Backend> {
 protected:
  /// Four by four cells, each a little more than 24 m wide.
  static World make_cells() {
    WorldOptions of;
    of.backend = GetParam();
    of.bounds = {{0, 0, 0}, {98, 98, 0}};
    of.reach = 20;
    return *World::create(of);
  }
  static float middle_of(int cell) { return 12.3F + 24.6F * static_cast<float>(cell); }
};
INSTANTIATE_TEST_SUITE_P(Counters, Grids, ::testing::Values(Backend::grid, Backend::hashed_grid));

TEST_P(Grids, QueryVisitsFourCellsAndTestsOnlyTheirEntities) {
  World world = make_cells();
  std::vector<EntityId> inside;
  for (const int x : {1, 2}) {
    for (const int y : {1, 2}) inside.push_back(add(world, middle_of(x), middle_of(y)));
  }
  inside.push_back(add(world, middle_of(1) + 5, middle_of(1) + 5));
  for (const int far : {0, 3}) {
    for (const int other : {0, 1, 2, 3}) (void)add(world, middle_of(far), middle_of(other));
  }
  const auto found = world.find({Circle{{49.2F, 49.2F, 0}, 18}, {}});
  EXPECT_EQ(found->size(), 5u);
  const Statistics of = world.statistics();
  EXPECT_EQ(of.queries, 1u);
  EXPECT_EQ(of.query_visited, 4u);
  EXPECT_EQ(of.query_tests, inside.size());
}

TEST_P(Grids, SensorTestsTheEntitiesOfNineCells) {
  World world = make_cells();
  (void)see(world, add(world, middle_of(1), middle_of(1)), 20);
  for (const int x : {0, 1, 2}) (void)add(world, middle_of(x), middle_of(2));
  for (const int x : {0, 1, 2, 3}) (void)add(world, middle_of(x), middle_of(3));
  (void)add(world, middle_of(3), middle_of(1));
  const auto report = *world.update();
  EXPECT_EQ(report.looked, 1u);
  EXPECT_EQ(report.pair_tests, 1u + 3u);
  EXPECT_GE(report.visited, 1u);
}

class OfAll : public ::testing::TestWithParam<Backend> {};
INSTANTIATE_TEST_SUITE_P(Counters, OfAll, ::testing::ValuesIn(kBackends));

TEST_P(OfAll, StatisticsAreTheSumsOfReports) {
  World world = make(GetParam());
  SensorOptions of;
  of.limit = {LimitPolicy::nearest, 3, 0};
  std::vector<EntityId> all;
  for (int i = 0; i < 30; ++i) {
    all.push_back(add(world, 100 + static_cast<float>(i * 7 % 30), 100));
    (void)*world.add_sensor(all.back(), of);
  }
  Statistics sum;
  std::size_t reported = 0;
  for (int tick = 0; tick < 20; ++tick) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto at = static_cast<float>((i * 13 + static_cast<std::size_t>(tick) * 5) % 40);
      ASSERT_TRUE(world.move(all[i], {100 + at, 100, 0}));
    }
    const auto report = *world.update([&](const Event&) { ++reported; });
    ++sum.updates;
    sum.pair_tests += report.pair_tests;
    sum.visited += report.visited;
    sum.events += report.events;
    sum.limit_evictions += report.limit_evictions;
    sum.looked += report.looked;
    sum.microseconds += report.microseconds;
  }
  const Statistics now = world.statistics();
  EXPECT_EQ(now.updates, sum.updates);
  EXPECT_EQ(now.pair_tests, sum.pair_tests);
  EXPECT_EQ(now.visited, sum.visited);
  EXPECT_EQ(now.events, reported);
  EXPECT_EQ(now.limit_evictions, sum.limit_evictions);
  EXPECT_EQ(now.looked, sum.looked);
  EXPECT_EQ(now.microseconds, sum.microseconds);
  EXPECT_GT(now.limit_evictions, 0u);
  EXPECT_GT(now.pair_tests, 0u);
  EXPECT_EQ(now.visited != 0, GetParam() != Backend::brute_force);
  EXPECT_EQ(now.queries, 0u);
  (void)world.nearest({100, 100, 0}, 1, 500);
  EXPECT_GE(world.statistics().queries, 1u);
  EXPECT_GE(world.statistics().query_tests, 1u);
}

// An entity that passes the corner of the square around a circle has not been in the circle.
TEST_P(OfAll, PassingACornerGivesNoEvent) {
  World world = make(GetParam());
  const SensorId sensor = see(world, add(world, 500, 500), 30);
  const EntityId b = add(world, 545, 510);
  Tally tally;
  tally.update(world);
  for (const Position at : {Position{535, 515, 0}, {527, 523, 0}, {522, 529, 0}, {510, 545, 0}}) {
    ASSERT_TRUE(world.move(b, at));
    tally.update(world);
  }
  EXPECT_EQ(tally.enters + tally.leaves, 0);
  ASSERT_TRUE(world.move(b, {527, 523, 0}));
  tally.update(world);
  ASSERT_TRUE(world.move(b, {518, 518, 0}));
  tally.update(world);
  EXPECT_TRUE(world.sees(sensor, b));
  EXPECT_EQ(tally.enters, 1);
  EXPECT_EQ(tally.leaves, 0);
}

/// Ten thousand entities that stand still, 20 m from each other.
class StandingCrowd : public ::testing::Test {
 protected:
  StandingCrowd() {
    for (int i = 0; i < 10'000; ++i) {
      all_.push_back(
          add(world_, 20 * static_cast<float>(i % 100), 20 * static_cast<float>(i / 100)));
      (void)see(world_, all_.back(), 30);
    }
    (void)world_.update();
    (void)world_.update();
  }
  static World make_lists() {
    WorldOptions of;
    of.backend = Backend::cross_list;
    of.reach = 30;
    return *World::create(of);
  }
  World world_ = make_lists();
  std::vector<EntityId> all_;
};

TEST_F(StandingCrowd, CostsNothing) {
  const auto report = *world_.update();
  EXPECT_EQ(report.visited, 0u);
  EXPECT_EQ(report.looked, 0u);
  EXPECT_EQ(report.pair_tests, 0u);
}

// Of the nodes of an axis those in the strip that its bounds have passed.
TEST_F(StandingCrowd, StepWithinItVisitsFewNodes) {
  ASSERT_TRUE(world_.move(all_[5'050], {1'012, 1'012, 0}));
  const auto report = *world_.update();
  EXPECT_GT(report.visited, 0u);
  EXPECT_LE(report.visited, 1'000u);
  EXPECT_LE(report.looked, 30u);
  EXPECT_LE(report.pair_tests, 30u * 40);
}

// A search enters the list at an anchor, so nodes on the way are not visited.
TEST_F(StandingCrowd, TeleportAcrossItVisitsFewNodes) {
  ASSERT_TRUE(world_.move(all_.front(), {1'979, 1'979, 0}));
  const auto report = *world_.update();
  EXPECT_GT(report.visited, 0u);
  EXPECT_LE(report.visited, 1'500u);
  EXPECT_LE(report.pair_tests, 60u * 40);
}

TEST(AxisList, IsSortedAfterManyMoves) {
  AxisList list;
  std::mt19937 chance(11);
  const auto value = [&] { return static_cast<float>(chance() % 5'000) / 4; };
  for (EntityIndex i = 0; i < 500; ++i) list.insert({value(), value(), i});
  for (int move = 0; move < 100'000; ++move) {
    list.shift({value(), value(), static_cast<EntityIndex>(chance() % 500)});
    if (move % 5'000 == 0) {
      ASSERT_TRUE(list.is_sorted()) << move;
    }
  }
  EXPECT_TRUE(list.is_sorted());
  EXPECT_EQ(list.size(), 500u);
}

}  // namespace
}  // namespace starbus::aoi::test
