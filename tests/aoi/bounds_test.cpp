/// Reaches each limit of a world: what is beyond is refused, and there is room again after a
/// removal.
#include <gtest/gtest.h>

#include "aoi/observer_state.hpp"
#include "tests/aoi/worlds.hpp"

namespace starbus::aoi::test {
namespace {

TEST(Bounds, RefusesMoreSensorsThanKMaxSensorsPerEntity) {
  World world = make();
  const EntityId a = add(world, 100, 100);
  SensorId last;
  for (std::uint32_t i = 0; i < kMaxSensorsPerEntity; ++i) last = see(world, a, 10);
  const auto more = world.add_sensor(a, {});
  ASSERT_EQ(more.error(), Errc::too_many);
  EXPECT_EQ(more.error().detail, "kMaxSensorsPerEntity");
  ASSERT_TRUE(world.remove_sensor(last));
  EXPECT_TRUE(world.add_sensor(a, {}));
  EXPECT_EQ(world.add_sensor(a, {}).error(), Errc::too_many);
  EXPECT_EQ(world.sensors_of(a).size(), kMaxSensorsPerEntity);
  EXPECT_TRUE(world.add_sensor(add(world, 1, 1), {})) << "others have their own";
}

// Those that handlers add count at once.
TEST(Bounds, CountsSensorsThatHandlersAdd) {
  World world = make();
  const EntityId a = add(world, 100, 100);
  (void)add(world, 101, 100);
  (void)see(world, a, 30);
  std::uint32_t added = 0;
  Errc end = Errc::ok;
  (void)world.update([&](const Event&) {
    for (; added < 2 * kMaxSensorsPerEntity; ++added) {
      const auto one = world.add_sensor(a, {});
      if (one) continue;
      end = one.error().code.in<Errc>();
      break;
    }
  });
  EXPECT_EQ(added, kMaxSensorsPerEntity - 1);
  EXPECT_EQ(end, Errc::too_many);
  EXPECT_EQ(world.update()->refused, 0u);
}

SensorOptions filtered(std::uint32_t number) {
  SensorOptions of;
  of.filter.any = number;
  return of;
}

TEST(Bounds, RefusesMoreFiltersThanKMaxFilters) {
  for (const Backend backend : kBackends) {
    World world = make(backend);
    const EntityId seen = add(world, 500, 500, 1);
    std::vector<SensorId> sensors;
    for (std::uint32_t number = 1; number <= kMaxFilters; ++number) {
      sensors.push_back(*world.add_sensor(add(world, 500, 500), filtered(number)));
    }
    const EntityId late = add(world, 500, 500);
    const auto more = world.add_sensor(late, filtered(kMaxFilters + 1));
    ASSERT_EQ(more.error(), Errc::too_many);
    EXPECT_EQ(more.error().detail, "kMaxFilters");
    EXPECT_EQ(world.set_options(sensors[0], filtered(kMaxFilters + 1)).error(), Errc::too_many);
    EXPECT_TRUE(world.add_sensor(late, filtered(7))) << "one that is known already";
    EXPECT_TRUE(world.add_sensor(late, {})) << "none is not counted";
    (void)world.update();
    for (std::uint32_t number = 1; number <= kMaxFilters; ++number) {
      EXPECT_EQ(world.sees(sensors[number - 1], seen), number % 2 == 1) << number;
    }
    // A number that becomes free means something else from then on.
    ASSERT_TRUE(world.remove(*world.owner(sensors[0])));
    EXPECT_TRUE(world.set_options(sensors[1], filtered(kMaxFilters + 2)));
    (void)world.update();
    EXPECT_TRUE(world.sees(sensors[1], seen)) << "its filter asks for the lowest flag now";
  }
}

TEST(Bounds, RefusesMoreForcedTargetsThanKMaxForced) {
  World world = make();
  const SensorId sensor = see(world, add(world, 100, 100), 10);
  std::vector<EntityId> forced;
  for (std::uint32_t i = 0; i < kMaxForced; ++i) {
    forced.push_back(add(world, 900, 900));
    ASSERT_TRUE(world.force(sensor, forced.back()));
  }
  const EntityId more = add(world, 900, 900);
  const auto refused = world.force(sensor, more);
  ASSERT_EQ(refused.error(), Errc::too_many);
  EXPECT_EQ(refused.error().detail, "kMaxForced");
  EXPECT_TRUE(world.force(sensor, forced[7])) << "it is forced already";
  EXPECT_EQ(world.update()->events, kMaxForced);
  EXPECT_EQ(world.sees(sensor), forced);
  ASSERT_TRUE(world.force(sensor, forced[7], false));
  EXPECT_TRUE(world.force(sensor, more));
  ASSERT_TRUE(world.remove(forced[8]));
  EXPECT_TRUE(world.force(sensor, forced[7]));
  EXPECT_EQ(world.force(sensor, add(world, 1, 1)).error(), Errc::too_many);
  (void)world.update();
  EXPECT_EQ(world.sees(sensor).size(), kMaxForced);
}

// Handlers cannot get the error at once, so refused operations are counted.
TEST(Bounds, CountsForcesOfHandlersBeyondTheLimitAsRefused) {
  World world = make();
  const SensorId sensor = see(world, add(world, 100, 100), 10);
  (void)add(world, 101, 100);
  std::vector<EntityId> far;
  for (std::uint32_t i = 0; i < kMaxForced + 3; ++i) far.push_back(add(world, 900, 900));
  (void)world.update([&](const Event&) {
    for (const EntityId one : far) EXPECT_TRUE(world.force(sensor, one));
  });
  EXPECT_EQ(world.update()->refused, 3u);
  EXPECT_EQ(world.sees(sensor).size(), kMaxForced + 1);
}

TEST(Bounds, ImportRefusesMoreForcedTargetsThanKMaxForced) {
  World world = make();
  SensorOptions of;
  of.indexed = true;
  const SensorId sensor = *world.add_sensor(add(world, 100, 100), of);
  std::vector<Adopted> targets;
  for (std::uint32_t i = 0; i < kMaxForced + 1; ++i) {
    targets.push_back({add(world, 900, 900), true});
  }
  EXPECT_EQ(world.adopt(sensor, targets).error(), Errc::too_many);
  EXPECT_TRUE(world.sees(sensor).empty());
  targets.back().forced = false;
  EXPECT_TRUE(world.adopt(sensor, targets));
}

TEST(Bounds, RefusesMoreBeaconsThanKMaxBeacons) {
  World world = make();
  const SensorId sensor = see(world, add(world, 100, 100), 10);
  std::vector<EntityId> beacons;
  for (std::uint32_t i = 0; i < kMaxBeacons; ++i) {
    beacons.push_back(add(world, 900, 900));
    ASSERT_TRUE(world.set_beacon(beacons.back(), true));
  }
  const EntityId more = add(world, 900, 900);
  const auto refused = world.set_beacon(more, true);
  ASSERT_EQ(refused.error(), Errc::too_many);
  EXPECT_EQ(refused.error().detail, "kMaxBeacons");
  EXPECT_TRUE(world.set_beacon(beacons[3], true)) << "it is one already";
  EXPECT_TRUE(world.set_beacon(more, false)) << "it is none already";
  (void)world.update();
  EXPECT_EQ(world.sees(sensor), beacons);
  ASSERT_TRUE(world.set_beacon(beacons[3], false));
  ASSERT_TRUE(world.set_beacon(more, true));
  ASSERT_TRUE(world.remove(more));
  ASSERT_TRUE(world.set_beacon(beacons[3], true));
  EXPECT_EQ(world.set_beacon(add(world, 1, 1), true).error(), Errc::too_many);
}

World with_lists(std::uint16_t capacity) {
  WorldOptions of;
  of.symmetric.capacity = capacity;
  return *World::create(of);
}

/// Makes others special to one until it is refused; gives how many are.
std::uint32_t fill(World& world, EntityId one, std::vector<EntityId>& others) {
  while (others.size() <= kMaxSpecial) {
    others.push_back(add(world, 100, 100));
    const auto done = world.set_special(one, others.back(), true);
    if (done) continue;
    EXPECT_EQ(done.error(), Errc::too_many);
    EXPECT_EQ(done.error().detail, "kMaxSpecial");
    others.pop_back();
    break;
  }
  return static_cast<std::uint32_t>(others.size());
}

TEST(Bounds, RefusesMoreSpecialsThanKMaxSpecial) {
  World world = with_lists(100);
  const EntityId one = add(world, 100, 100);
  std::vector<EntityId> others;
  ASSERT_EQ(fill(world, one, others), kMaxSpecial);
  const EntityId more = add(world, 100, 100);
  EXPECT_EQ(world.set_special(more, one, true).error(), Errc::too_many) << "it is mutual";
  EXPECT_TRUE(world.set_special(one, others[5], true)) << "it is special already";
  EXPECT_TRUE(world.set_special(more, others[5], true)) << "that one has room";
  ASSERT_TRUE(world.set_special(one, others[5], false));
  EXPECT_TRUE(world.set_special(one, more, true));
  ASSERT_TRUE(world.remove(more));
  EXPECT_TRUE(world.set_special(one, others[5], true));
}

// A list has to have a place for a special relation whatever it holds: so they are fewer than it.
TEST(Bounds, RefusesAsManySpecialsAsAListHolds) {
  World world = with_lists(4);
  std::vector<EntityId> others;
  EXPECT_EQ(fill(world, add(world, 100, 100), others), 3u);
}

}  // namespace
}  // namespace starbus::aoi::test
