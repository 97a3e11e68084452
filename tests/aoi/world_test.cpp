/// The promises of a world, case by case; on every backend where it matters.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <thread>

#include "tests/aoi/worlds.hpp"

namespace starbus::aoi::test {
namespace {

class EveryBackend : public ::testing::TestWithParam<Backend> {};
INSTANTIATE_TEST_SUITE_P(World, EveryBackend, ::testing::ValuesIn(kBackends));

TEST_P(EveryBackend, RadiusIncludesItsBorder) {
  World world = make(GetParam());
  const EntityId a = add(world, 100, 100);
  const EntityId b = add(world, 103, 104);
  const SensorId sensor = see(world, a, 5);
  (void)world.update();
  EXPECT_TRUE(world.sees(sensor, b));
  ASSERT_TRUE(world.move(b, {103.001F, 104, 0}));
  (void)world.update();
  EXPECT_FALSE(world.sees(sensor, b));
}

// Removes more entities than are erased together, with queries in between and without.
TEST_P(EveryBackend, RemovedCrowdIsGoneAtOnceAndReportedOnce) {
  for (const bool asks : {false, true}) {
    World world = make(GetParam());
    std::vector<EntityId> crowd;
    std::vector<SensorId> sensors;
    for (int i = 0; i < 200; ++i) {
      crowd.push_back(add(world, 100 + static_cast<float>(i % 15), 100));
      sensors.push_back(see(world, crowd.back(), 30));
    }
    Tally tally;
    tally.update(world);
    ASSERT_EQ(tally.enters, 200 * 199);
    for (std::size_t i = 0; i < 150; ++i) {
      ASSERT_TRUE(world.remove(crowd[i]));
      EXPECT_FALSE(world.remove(crowd[i]));
      EXPECT_FALSE(world.move(crowd[i], {1, 1, 0}));
      if (asks) {
        EXPECT_EQ(world.sees(sensors[199]).size(), 198 - i);
      }
    }
    EXPECT_FALSE(world.position(crowd[149]));
    EXPECT_FALSE(world.owner(sensors[149]));
    EXPECT_EQ(world.sees(sensors[150]).size(), 49u);
    EXPECT_EQ(world.observers(crowd[150]).size(), 49u);
    tally.update(world);
    EXPECT_EQ(tally.leaves, 200 * 199 - 50 * 49);
  }
}

// An entity that moves far leaves its place to no other until all sensors around are evaluated,
// however many come to its cell or leave it meanwhile; and one that comes back has not been away.
TEST_P(EveryBackend, CrowdMovesFarAndComesBackInPart) {
  World world = make(GetParam());
  std::vector<EntityId> crowd;
  std::vector<SensorId> sensors;
  for (int i = 0; i < 60; ++i) {
    crowd.push_back(add(world, 100 + static_cast<float>(i % 9), 100));
    sensors.push_back(see(world, crowd.back(), 30));
  }
  Tally tally;
  tally.update(world);
  ASSERT_EQ(tally.enters, 60 * 59);
  const auto place = [&](std::size_t i, float x) {
    ASSERT_TRUE(world.move(crowd[i], {x + static_cast<float>(i % 9), 100, 0}));
  };
  for (std::size_t i = 0; i < 50; ++i) place(i, 800);
  EXPECT_EQ(world.sees(sensors[55]).size(), 59u) << "not reported yet";
  EXPECT_EQ(world.observers(crowd[3]).size(), 59u);
  EXPECT_TRUE(world.sees(sensors[55], crowd[3]));
  EXPECT_TRUE(world.sees(sensors[3], crowd[55]));
  EXPECT_EQ(world.find({Circle{{100, 100, 0}, 50}, {}})->size(), 10u);
  for (int i = 0; i < 40; ++i) (void)add(world, 101, 100);  // the cell grows
  for (std::size_t i = 0; i < 10; ++i) place(i, 100);
  EXPECT_TRUE(world.sees(sensors[55], crowd[3]));
  ASSERT_TRUE(world.remove(crowd[20]));  // one that is away
  ASSERT_TRUE(world.remove(crowd[57]));
  EXPECT_EQ(world.sees(sensors[55]).size(), 57u);
  EXPECT_EQ(world.find({Circle{{100, 100, 0}, 50}, {}})->size(), 10u + 40 + 10 - 1);
  tally = {};
  tally.update(world);
  // 19 stayed or came back, and 39 are away together: these have lost each other. The two that were
  // removed lose 59 each and are lost by as many, but the pair of them counts once.
  EXPECT_EQ(tally.leaves, 2 * 19 * 39 + 2 * (2 * 59 - 1));
  EXPECT_EQ(tally.enters, 19 * 40) << "of those who were added";
  for (std::size_t i = 30; i < 50; ++i) EXPECT_EQ(world.sees(sensors[i]).size(), 38u);
  for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(world.sees(sensors[i]).size(), 18u + 40);
}

// Also with a period: an entity that comes to the place that it has left is another one.
TEST(World, FarMoverLeavesAlthoughItsObserversAreSkipped) {
  for (const Backend backend : {Backend::grid, Backend::hashed_grid}) {
    World world = make(backend);
    SensorOptions of;
    of.period = 4;
    std::vector<SensorId> sensors;
    for (int i = 0; i < 8; ++i) sensors.push_back(*world.add_sensor(add(world, 100, 100), of));
    const EntityId target = add(world, 105, 100);
    for (int tick = 0; tick < 4; ++tick) (void)world.update();
    ASSERT_EQ(world.observers(target).size(), 8u);
    ASSERT_TRUE(world.move(target, {900, 900, 0}));
    Tally tally;
    tally.update(world);
    EXPECT_EQ(tally.leaves, 8);
    EXPECT_TRUE(world.observers(target).empty());
    (void)add(world, 105, 100);
    for (const SensorId sensor : sensors) EXPECT_EQ(world.sees(sensor).size(), 7u);
    for (int tick = 0; tick < 4; ++tick) tally.update(world);
    EXPECT_EQ(tally.leaves, 8);
    EXPECT_EQ(tally.enters, 8) << "of the one who came";
  }
}

TEST_P(EveryBackend, LeaveMarginKeepsTargetsAtTheBorder) {
  for (const float margin : {0.0F, 2.0F}) {
    World world = make(GetParam());
    const EntityId a = add(world, 100, 100);
    const EntityId b = add(world, 130.5F, 100);
    (void)see(world, a, 30, margin);
    Tally tally;
    for (int tick = 0; tick < 100; ++tick) {
      ASSERT_TRUE(world.move(b, {tick % 2 == 0 ? 129.5F : 130.5F, 100, 0}));
      tally.update(world);
    }
    EXPECT_EQ(tally.enters, margin == 0 ? 50 : 1);
    EXPECT_EQ(tally.leaves, margin == 0 ? 50 : 0);
  }
}

// Square bounds let it in at the corner; the circle does so later, without a crossing of bounds.
TEST_P(EveryBackend, CornersOfCellsLoseNoTarget) {
  World world = make(GetParam());
  const SensorId sensor = see(world, add(world, 500, 500), 30);
  const EntityId b = add(world, 540, 540);
  (void)world.update();
  for (float at = 540; at > 522; at -= 1) {
    ASSERT_TRUE(world.move(b, {at, at, 0}));
    (void)world.update();
    EXPECT_EQ(world.sees(sensor, b), 2 * (at - 500) * (at - 500) <= 900) << at;
  }
}

TEST_P(EveryBackend, WorksOutsideItsBoundsAsInside) {
  World world = make(GetParam());
  const EntityId a = add(world, -500, 3000);
  const EntityId b = add(world, -520, 3000);
  const SensorId sensor = see(world, a, 30);
  (void)world.update();
  EXPECT_TRUE(world.sees(sensor, b));
  ASSERT_TRUE(world.move(b, {-1e30F, 3000, 0}));
  EXPECT_EQ(world.position(b)->x, -static_cast<float>(kMaxCoordinate));
  (void)world.update();
  EXPECT_FALSE(world.sees(sensor, b));
}

TEST_P(EveryBackend, LargeSensorsSeeFar) {
  World world = make(GetParam());
  const EntityId a = add(world, 10, 10);
  const SensorId far = see(world, a, 900);
  const SensorId near = see(world, a, 3);
  const EntityId b = add(world, 600, 600);
  (void)world.update();
  EXPECT_TRUE(world.sees(far, b));
  EXPECT_FALSE(world.sees(near, b));
  EXPECT_EQ(world.observers(b), std::vector{far});
  ASSERT_TRUE(world.set_radius(near, 900));
  ASSERT_TRUE(world.set_radius(far, 3));
  (void)world.update();
  EXPECT_EQ(world.observers(b), std::vector{near});
}

TEST_P(EveryBackend, ReportsNetChangesOnly) {
  World world = make(GetParam());
  const EntityId a = add(world, 100, 100);
  const EntityId b = add(world, 110, 100);
  (void)see(world, a, 30);
  Tally tally;
  tally.update(world);
  ASSERT_TRUE(world.move(b, {900, 900, 0}));
  ASSERT_TRUE(world.move(a, {900, 100, 0}));
  ASSERT_TRUE(world.move(a, {100, 900, 0}));
  ASSERT_TRUE(world.move(b, {105, 900, 0}));
  tally.update(world);
  EXPECT_EQ(tally.enters, 1);
  EXPECT_EQ(tally.leaves, 0);
}

TEST_P(EveryBackend, QueriesUsePresentPositions) {
  World world = make(GetParam());
  const EntityId a = add(world, 100, 100, 1);
  const EntityId b = add(world, 101, 100, 2);
  const EntityId c = add(world, 300, 300, 3);
  (void)world.update();
  ASSERT_TRUE(world.move(c, {104, 100, 0}));
  const Region circle{Circle{{100, 100, 0}, 4}, {}};
  EXPECT_EQ(*world.find(circle), (std::vector{a, b, c}));
  EXPECT_EQ(*world.find(circle, Filter{0, 1, 0}), (std::vector{a, c}));
  const auto nearest = *world.nearest({103.9F, 100, 0}, 2, 50);
  ASSERT_EQ(nearest.size(), 2u);
  EXPECT_EQ(nearest[0].entity, c);
  EXPECT_EQ(nearest[1].entity, b);
}

TEST(World, RefusesWhatIsNotANumber) {
  World world = make();
  const EntityId a = add(world, 1, 1);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(world.move(a, {nan, 1, 0}).error(), Errc::bad_position);
  EXPECT_EQ(world.move(a, {1, inf, 0}).error(), Errc::bad_position);
  EXPECT_EQ(world.move(a, {1, 1, nan}).error(), Errc::bad_position);
  EntityOptions of;
  of.position = {nan, 0, 0};
  EXPECT_EQ(world.add(of).error(), Errc::bad_position);
  SensorOptions sensor;
  sensor.radius = nan;
  EXPECT_EQ(world.add_sensor(a, sensor).error(), Errc::bad_option);
  sensor.radius = 70'000;
  EXPECT_EQ(world.add_sensor(a, sensor).error(), Errc::too_large);
  EXPECT_EQ(*world.position(a), (Position{1, 1, 0}));
}

TEST(World, TriggerSeesArrivalsAndIsNotSeen) {
  World world = make();
  std::vector<Event> heard;
  SensorOptions of;
  of.radius = 5;
  const SensorId trap =
      *world.add_trigger({50, 50, 0}, of, [&](const Event& event) { heard.push_back(event); });
  const EntityId a = add(world, 40, 50);
  const SensorId eyes = see(world, a, 30);
  int others = 0;
  const auto update = [&] { (void)world.update([&](const Event&) { ++others; }); };
  update();
  EXPECT_TRUE(world.sees(eyes).empty());
  ASSERT_TRUE(world.move(a, {49, 50, 0}));
  update();
  ASSERT_TRUE(world.remove(*world.owner(trap)));
  update();
  ASSERT_EQ(heard.size(), 2u);
  EXPECT_EQ(heard[0].kind, Kind::enter);
  EXPECT_EQ(heard[1].reason, Reason::removed);
  EXPECT_EQ(others, 0);
}

TEST(World, FreedIndexRestsBeforeReuse) {
  World world = make(Backend::grid, 3);
  const EntityId a = add(world, 1, 1);
  ASSERT_TRUE(world.remove(a));
  EXPECT_EQ(world.move(a, {2, 2, 0}).error(), Errc::unknown_entity);
  for (int i = 0; i < 4; ++i) {
    EXPECT_NE(add(world, 5, 5).index(), a.index());
    (void)world.update();
  }
  const EntityId again = add(world, 1, 1);
  EXPECT_EQ(again.index(), a.index());
  EXPECT_NE(again, a);
  EXPECT_FALSE(world.position(a));
}

TEST(World, BudgetPutsOffAndReportsIt) {
  WorldOptions of;
  of.bounds = {{0, 0, 0}, {100, 100, 0}};
  of.budget.pair_tests = 200;
  of.budget.max_staleness = 3;
  World world = *World::create(of);
  std::vector<EntityId> all;
  for (int i = 0; i < 50; ++i) {
    all.push_back(add(world, 50, 50));
    (void)see(world, all.back(), 30);
  }
  std::uint32_t looked = 0;
  for (int tick = 0; tick < 8; ++tick) {
    const auto report = *world.update();
    EXPECT_LE(report.staleness, 3u);
    EXPECT_EQ(report.looked + report.put_off, tick < 4 ? 50u - looked : report.looked);
    EXPECT_TRUE(tick >= 3 || report.pair_tests <= 200);
    looked += report.looked;
  }
  EXPECT_EQ(looked, 50u);
  for (const EntityId one : all) EXPECT_EQ(world.observers(one).size(), 49u);
}

std::vector<EntityId> who_saw(World& world) {
  std::vector<EntityId> who;
  (void)world.update([&](const Event& event) {
    if (who.empty() || who.back() != event.observer) who.push_back(event.observer);
  });
  return who;
}

// Not by where they are: the first that came, until others have waited longer.
TEST(World, NewSensorHasNotMovedForTheBudget) {
  WorldOptions of;
  of.bounds = {{0, 0, 0}, {1000, 1000, 0}};
  of.budget.pair_tests = 1;
  World world = *World::create(of);
  const auto pair_at = [&](float x, float y) {
    const EntityId one = add(world, x, y);
    (void)add(world, x + 1, y);
    (void)see(world, one, 10);
    return one;
  };
  const EntityId near = pair_at(10, 10);
  const EntityId far = pair_at(900, 900);
  EXPECT_EQ(who_saw(world), std::vector<EntityId>{near});
  EXPECT_EQ(who_saw(world), std::vector<EntityId>{far});
}

// Not by brute force, which evaluates all sensors in every update.
TEST(World, MostUrgentSensorsAreEvaluatedFirst) {
  for (const Backend backend : {Backend::grid, Backend::hashed_grid, Backend::cross_list}) {
    WorldOptions of;
    of.backend = backend;
    of.bounds = {{0, 0, 0}, {1000, 1000, 0}};
    of.reach = 10;
    of.budget.pair_tests = 1;
    of.budget.max_staleness = 100;
    World world = *World::create(of);
    std::vector<EntityId> all;
    for (int i = 0; i < 4; ++i) {
      const float x = 100 + static_cast<float>(i) * 200;
      all.push_back(add(world, x, 100));
      SensorOptions sensor;
      sensor.radius = 10;
      sensor.priority = i == 2 ? 200 : 1;
      (void)*world.add_sensor(all.back(), sensor);
      (void)add(world, x + 5, 100);
    }
    EXPECT_EQ(who_saw(world), std::vector<EntityId>{all[2]}) << "by priority";
    ASSERT_TRUE(world.move(all[3], {704, 100, 0}));
    EXPECT_EQ(who_saw(world), std::vector<EntityId>{all[3]}) << "by distance";
    EXPECT_EQ(who_saw(world), std::vector<EntityId>{all[0]});
    EXPECT_EQ(who_saw(world), std::vector<EntityId>{all[1]});
  }
}

TEST(World, BatchOfMovesStopsAtTheFirstError) {
  World world = make();
  const EntityId a = add(world, 1, 1);
  const EntityId b = add(world, 2, 2);
  const std::vector<Move> good = {{a, {10, 10, 0}}, {b, {20, 20, 0}}};
  EXPECT_TRUE(world.move(good));
  EXPECT_EQ(world.position(b)->x, 20);
  const std::vector<Move> bad = {{a, {11, 11, 0}}, {EntityId{}, {}}, {b, {21, 21, 0}}};
  EXPECT_EQ(world.move(bad).error(), Errc::unknown_entity);
  EXPECT_EQ(world.position(a)->x, 11);
  EXPECT_EQ(world.position(b)->x, 20);
}

TEST(World, SensorsWithAPeriodAreSpreadOverUpdates) {
  World world = make();
  SensorOptions of;
  of.period = 5;
  for (int i = 0; i < 50; ++i) (void)world.add_sensor(add(world, 50, 50), of);
  for (int tick = 0; tick < 5; ++tick) EXPECT_EQ(world.update()->looked, 10u);
}

TEST(World, MoveIntoAnotherThreadMakesItTheOwner) {
  World world = make();
  (void)add(world, 1, 1);
  std::thread other([&world] {
    World mine = std::move(world);
    (void)add(mine, 2, 2);
    EXPECT_EQ(mine.entities().size(), 2u);
  });
  other.join();
}

TEST(WorldDeathTest, CallFromAnotherThreadAborts) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        World world = make();
        std::thread other([&world] { (void)world.add({}); });
        other.join();
      },
      "was used by thread");
}

}  // namespace
}  // namespace starbus::aoi::test
