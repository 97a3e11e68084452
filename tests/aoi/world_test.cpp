/// What a world promises, case by case; on every backend where it matters.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "aoi/world.hpp"

namespace starbus::aoi {
namespace {

constexpr Backend kBackends[] = {Backend::grid, Backend::hashed_grid, Backend::cross_list,
                                 Backend::brute_force};

World make(Backend backend = Backend::grid, std::uint16_t quarantine = 2) {
  WorldOptions of;
  of.backend = backend;
  of.bounds = {{0, 0, 0}, {1000, 1000, 0}};
  of.reach = 30;
  of.quarantine = quarantine;
  return *World::create(of);
}

EntityId add(World& world, float x, float y, std::uint64_t flags = 0) {
  EntityOptions of;
  of.position = {x, y, 0};
  of.flags = flags;
  return *world.add(of);
}

SensorId see(World& world, EntityId entity, float radius, float margin = 0) {
  SensorOptions of;
  of.radius = radius;
  of.leave_margin = margin;
  return *world.add_sensor(entity, of);
}

struct Tally {
  int enters = 0;
  int leaves = 0;
  void update(World& world) {
    (void)world.update(
        [&](const Event& event) { ++(event.kind == Kind::enter ? enters : leaves); });
  }
};

class EveryBackend : public ::testing::TestWithParam<Backend> {};
INSTANTIATE_TEST_SUITE_P(World, EveryBackend, ::testing::ValuesIn(kBackends));

TEST_P(EveryBackend, TheBorderOfARadiusBelongsToIt) {
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

TEST_P(EveryBackend, AMarginKeepsWhoWalksAlongTheBorder) {
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
TEST_P(EveryBackend, NobodyIsLostInTheCornerOfASquare) {
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

TEST_P(EveryBackend, WorksOutsideOfItsBoundsAsInside) {
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

TEST_P(EveryBackend, OnlyWhatIsNetIsTold) {
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

TEST_P(EveryBackend, QueriesUseThePositionsOfNow) {
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

TEST(World, ALimitedCrowdRefillsItsPlaces) {
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

TEST(World, TheNearestDisplaceOnlyByAMargin) {
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

TEST(World, TheWeightyComeFirst) {
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

TEST(World, WhoIsForcedStaysWhereverItGoes) {
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
  ASSERT_TRUE(world.unforce(sensor, mate));
  tally.update(world);
  EXPECT_EQ(tally.leaves, 1);
  EXPECT_EQ(world.events()[0].reason, Reason::forced);
}

TEST(World, ABeaconIsSeenByAllWhomItConcerns) {
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

TEST(World, ATriggerHearsOfWhoComesAndIsSeenByNobody) {
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

TEST(World, AnIndexRestsBeforeItComesAgain) {
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
  EXPECT_FALSE(world.contains(a));
}

TEST(World, ABudgetPutsOffAndSaysSo) {
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

TEST(World, SensorsWithAPeriodAreSpreadOverUpdates) {
  World world = make();
  SensorOptions of;
  of.period = 5;
  for (int i = 0; i < 50; ++i) (void)world.add_sensor(add(world, 50, 50), of);
  for (int tick = 0; tick < 5; ++tick) EXPECT_EQ(world.update()->looked, 10u);
}

TEST_P(EveryBackend, AHandlerMaySetTheRadiusOfASensorThatItHasJustAdded) {
  World world = make(GetParam());
  const EntityId a = add(world, 100, 100);
  const EntityId b = add(world, 110, 100);
  (void)see(world, a, 30);
  SensorId fresh;
  (void)world.update([&](const Event& event) {
    SensorOptions of;
    of.radius = 500;
    of.limit = {LimitPolicy::nearest, 1, 0};
    fresh = *world.add_sensor(event.target, of);
    of.limit.policy = LimitPolicy::none;
    of.leave_margin = 1;
    EXPECT_TRUE(world.set_options(fresh, of));
    EXPECT_TRUE(world.set_radius(fresh, 9, 2));
    EXPECT_EQ(world.set_radius(fresh, -1).error(), Errc::bad_option);
    EXPECT_FALSE(world.sensor(fresh));
  });
  EXPECT_EQ(world.sensor(fresh)->radius, 9);
  EXPECT_EQ(world.sensor(fresh)->limit.policy, LimitPolicy::none);
  (void)world.update();
  EXPECT_FALSE(world.sees(fresh, a));
  ASSERT_TRUE(world.move(b, {109, 100, 0}));
  EXPECT_EQ(world.update()->refused, 0u);
  EXPECT_TRUE(world.sees(fresh, a));
}

// Whatever handlers do, the pairs stay consistent; events of one update are told to the end.
TEST(World, HandlersMayDoAnything) {
  for (const Backend backend : kBackends) {
    World world = make(backend, 1);
    std::vector<EntityId> all;
    std::vector<SensorId> sensors;
    std::set<std::pair<SensorId, EntityId>> pairs;
    for (int i = 0; i < 40; ++i) {
      all.push_back(
          add(world, 500 + static_cast<float>(i % 7) * 9, 500 + static_cast<float>(i) * 2));
      sensors.push_back(see(world, all.back(), 20));
    }
    std::uint32_t random = 1;
    const auto next = [&](std::uint32_t below) {
      random = random * 1664525 + 1013904223;
      return random >> 8 & 0xffff ? (random >> 8) % below : 0;
    };
    for (int tick = 0; tick < 60; ++tick) {
      int added = 0;
      const auto report = world.update([&](const Event& event) {
        const bool changed = event.kind == Kind::enter
                                 ? pairs.insert({event.sensor, event.target}).second
                                 : pairs.erase({event.sensor, event.target}) == 1;
        EXPECT_TRUE(changed);
        EXPECT_EQ(world.update().error(), Errc::busy);
        const auto before = world.sees(event.sensor);
        switch (next(8)) {
          case 0:
            (void)world.remove(event.target);
            break;
          case 1:
            (void)world.remove_sensor(event.sensor);
            break;
          case 2: {
            // Whoever enters may add one who enters; what is added shows with the next update only.
            if (world.entities().size() > 60 || ++added > 5) break;
            const EntityId fresh = add(world, 500 + static_cast<float>(next(60)), 540);
            (void)world.move(fresh, {510, 540, 0});
            (void)see(world, fresh, 25);
            break;
          }
          case 3:
            (void)world.move(event.observer, {500 + static_cast<float>(next(90)), 550, 0});
            break;
          case 4:
            (void)world.force(event.sensor, event.target);
            break;
          case 5:
            (void)world.unforce(event.sensor, event.target);
            break;
          case 6:
            (void)world.set_beacon(event.target, next(2) == 0);
            break;
          default:
            (void)world.set_radius(event.sensor, static_cast<float>(next(40)));
            break;
        }
        EXPECT_EQ(world.sees(event.sensor), before) << "done before the telling was over";
      });
      ASSERT_TRUE(report);
      if (world.entities().size() < 20) (void)see(world, add(world, 520, 540), 30);
      for (const auto& [sensor, target] : pairs) {
        const bool both = world.contains(sensor) && world.contains(target);
        EXPECT_TRUE(!both || world.sees(sensor, target));
      }
    }
    (void)world.update([&](const Event& event) {
      event.kind == Kind::enter ? (void)pairs.insert({event.sensor, event.target})
                                : (void)pairs.erase({event.sensor, event.target});
    });
    std::size_t seen = 0;
    for (const EntityId one : world.entities()) {
      for (const SensorId sensor : world.sensors_of(one)) seen += world.sees(sensor).size();
    }
    EXPECT_EQ(seen, pairs.size());
  }
}

}  // namespace
}  // namespace starbus::aoi
