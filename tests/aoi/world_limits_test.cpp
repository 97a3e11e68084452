/// What decides which targets in range are shown: filters, limits, forced targets, beacons,
/// heights.
#include <gtest/gtest.h>

#include "tests/aoi/worlds.hpp"

namespace starbus::aoi::test {
namespace {

TEST(World, FiltersByFlags) {
  const Filter filter{2, 1, 4};
  EXPECT_TRUE(filter.passes(3));
  EXPECT_FALSE(filter.passes(7));
  EXPECT_FALSE(filter.passes(1));
  EXPECT_TRUE(Filter{}.passes(0));
  World world = make();
  SensorOptions of;
  of.filter = filter;
  const SensorId sensor = *world.add_sensor(add(world, 1, 1), of);
  const EntityId b = add(world, 2, 2, 3);
  (void)world.update();
  ASSERT_TRUE(world.sees(sensor, b));
  ASSERT_TRUE(world.set_flags(b, 7));
  (void)world.update();
  ASSERT_EQ(world.events().size(), 1u);
  EXPECT_EQ(world.events()[0].reason, Reason::filter);
  ASSERT_TRUE(world.set_flags(b, 3));
  (void)world.update();
  EXPECT_EQ(world.events()[0].reason, Reason::filter);
}

TEST(World, LimitedSensorRefillsFreePlaces) {
  World world = make();
  std::vector<EntityId> all;
  std::vector<SensorId> sensors;
  SensorOptions of;
  of.limit = {LimitPolicy::nearest, 30, 0.1F};
  for (int i = 0; i < 51; ++i) {
    all.push_back(add(world, 500, 500));
    sensors.push_back(*world.add_sensor(all.back(), of));
  }
  (void)world.update();
  for (const SensorId sensor : sensors) EXPECT_EQ(world.sees(sensor).size(), 30u);
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(world.remove(all.back()));
    all.pop_back();
    sensors.pop_back();
  }
  (void)world.update();
  for (const SensorId sensor : sensors) EXPECT_EQ(world.sees(sensor).size(), 30u);
}

// In whatever order they come, few and many: among those equally far the index decides.
TEST(World, EquallyNearTargetsAreShownByIndex) {
  for (const Backend backend : kBackends) {
    for (const std::uint32_t count : {12u, 40u, 60u, 300u}) {
      World world = make(backend);
      SensorOptions of;
      of.limit = {LimitPolicy::nearest, 5, 0};
      const SensorId sensor = *world.add_sensor(add(world, 500, 500), of);
      std::vector<EntityId> all;
      for (std::uint32_t i = 0; i < count; ++i) all.push_back(add(world, 100, 100));
      (void)world.update();
      const std::vector<EntityId> first(all.begin(), all.begin() + 5);
      // The last of the list come first; then others come behind those that are shown.
      for (std::size_t i = all.size(); i-- > 7;) ASSERT_TRUE(world.move(all[i], {505, 500, 0}));
      (void)world.update();
      EXPECT_EQ(world.sees(sensor), std::vector<EntityId>(all.begin() + 7, all.begin() + 12));
      for (std::size_t i = 7; i-- > 0;) ASSERT_TRUE(world.move(all[i], {500, 505, 0}));
      (void)world.update();
      EXPECT_EQ(world.sees(sensor), first) << count;
      for (std::size_t i = 0; i < 3; ++i) ASSERT_TRUE(world.move(all[i], {510, 500, 0}));
      (void)world.update();
      EXPECT_EQ(world.sees(sensor), std::vector<EntityId>(all.begin() + 3, all.begin() + 8));
    }
  }
}

// A newcomer farther than all that were shown, and as far as the worst is now.
TEST(World, IndexDecidesAtTheEdgeOfTheSearch) {
  for (const Backend backend : kBackends) {
    World world = make(backend);
    SensorOptions of;
    of.limit = {LimitPolicy::nearest, 5, 0};
    const SensorId sensor = *world.add_sensor(add(world, 500, 500), of);
    std::vector<EntityId> all;
    for (std::uint32_t i = 0; i < 100; ++i) {
      all.push_back(add(world, i < 95 ? 525.F : 510.F, 500));
    }
    (void)world.update();
    EXPECT_EQ(world.sees(sensor), std::vector<EntityId>(all.begin() + 95, all.end()));
    ASSERT_TRUE(world.move(all[99], {510.001F, 500, 0}));
    ASSERT_TRUE(world.move(all[50], {500, 510.001F, 0}));
    (void)world.update();
    std::vector<EntityId> expected(all.begin() + 95, all.end() - 1);
    expected.insert(expected.begin(), all[50]);
    EXPECT_EQ(world.sees(sensor), expected);
  }
}

TEST(World, NearestDisplacesOnlyByTheMargin) {
  World world = make();
  SensorOptions of;
  of.limit = {LimitPolicy::nearest, 1, 0.1F};
  const SensorId sensor = *world.add_sensor(add(world, 100, 100), of);
  const EntityId near = add(world, 110, 100);
  const EntityId other = add(world, 100, 112);
  (void)world.update();
  EXPECT_EQ(world.sees(sensor), std::vector{near});
  ASSERT_TRUE(world.move(other, {100, 109.5F, 0}));
  (void)world.update();
  EXPECT_EQ(world.sees(sensor), std::vector{near});
  ASSERT_TRUE(world.move(other, {100, 108.9F, 0}));
  const auto report = *world.update();
  EXPECT_EQ(world.sees(sensor), std::vector{other});
  EXPECT_EQ(report.limit_evictions, 1u);
  EXPECT_EQ(world.events()[0].kind, Kind::leave);
  EXPECT_EQ(world.events()[0].reason, Reason::limit);
}

TEST(World, HeaviestTargetsComeFirst) {
  World world = make();
  SensorOptions of;
  of.limit = {LimitPolicy::priority, 2, 0.1F};
  const SensorId sensor = *world.add_sensor(add(world, 100, 100), of);
  const EntityId near = add(world, 101, 100);
  (void)add(world, 102, 100);
  const EntityId boss = add(world, 120, 100);
  ASSERT_TRUE(world.set_weight(boss, 5));
  (void)world.update();
  EXPECT_EQ(world.sees(sensor), (std::vector{near, boss}));
}

TEST(World, ForcedTargetStaysVisibleAnywhere) {
  World world = make();
  SensorOptions of;
  of.limit = {LimitPolicy::nearest, 1, 0};
  const SensorId sensor = *world.add_sensor(add(world, 100, 100), of);
  const EntityId mate = add(world, 600, 600);
  const EntityId other = add(world, 101, 100);
  ASSERT_TRUE(world.force(sensor, mate));
  ASSERT_TRUE(world.force(sensor, mate));
  Tally tally;
  tally.update(world);
  EXPECT_EQ(world.sees(sensor), (std::vector{mate, other}));
  ASSERT_TRUE(world.move(mate, {100, 101, 0}));
  tally.update(world);
  ASSERT_TRUE(world.move(mate, {700, 700, 0}));
  tally.update(world);
  EXPECT_EQ(tally.leaves, 0);
  ASSERT_TRUE(world.force(sensor, mate, false));
  tally.update(world);
  EXPECT_EQ(tally.leaves, 1);
  EXPECT_EQ(world.events()[0].reason, Reason::forced);
}

TEST(World, BeaconIsSeenByAllSensorsThatWantIt) {
  World world = make();
  const EntityId a = add(world, 1, 1);
  const SensorId plain = see(world, a, 5);
  SensorOptions of;
  of.sees_beacons = false;
  const SensorId trap = *world.add_sensor(a, of);
  of.sees_beacons = true;
  of.filter = {0, 8, 0};
  const SensorId choosy = *world.add_sensor(a, of);
  const EntityId boss = add(world, 900, 900, 1);
  ASSERT_TRUE(world.set_beacon(boss, true));
  (void)world.update();
  EXPECT_TRUE(world.sees(plain, boss));
  EXPECT_FALSE(world.sees(trap, boss));
  EXPECT_FALSE(world.sees(choosy, boss));
  ASSERT_TRUE(world.set_flags(boss, 8));
  (void)world.update();
  EXPECT_TRUE(world.sees(choosy, boss));
  ASSERT_TRUE(world.set_beacon(boss, false));
  (void)world.update();
  EXPECT_TRUE(world.observers(boss).empty());
}

TEST(World, HeightsLimitWhatIsSeen) {
  World world = make();
  SensorOptions of;
  of.min_height = -2;
  of.max_height = 3;
  const SensorId sensor = *world.add_sensor(add(world, 1, 1), of);
  EntityOptions entity;
  entity.position = {2, 2, 3};
  const EntityId above = *world.add(entity);
  (void)world.update();
  EXPECT_TRUE(world.sees(sensor, above));
  ASSERT_TRUE(world.move(above, {2, 2, 3.5F}));
  (void)world.update();
  EXPECT_FALSE(world.sees(sensor, above));
}

}  // namespace
}  // namespace starbus::aoi::test
