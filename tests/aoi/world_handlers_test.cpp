/// What handlers may do while events are told.
#include <gtest/gtest.h>

#include <set>

#include "tests/aoi/worlds.hpp"

namespace starbus::aoi::test {
namespace {

class OnEveryBackend : public ::testing::TestWithParam<Backend> {};
INSTANTIATE_TEST_SUITE_P(World, OnEveryBackend, ::testing::ValuesIn(kBackends));

TEST_P(OnEveryBackend, AHandlerMaySetTheRadiusOfASensorThatItHasJustAdded) {
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
}  // namespace starbus::aoi::test
