/// Operations in handlers while events are reported.
#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "aoi/observer_state.hpp"
#include "aoi/replay/recording.hpp"
#include "tests/aoi/worlds.hpp"

namespace starbus::aoi::test {
namespace {

class OnEveryBackend : public ::testing::TestWithParam<Backend> {};
INSTANTIATE_TEST_SUITE_P(World, OnEveryBackend, ::testing::ValuesIn(kBackends));

TEST_P(OnEveryBackend, HandlerMaySetTheRadiusOfASensorItHasAdded) {
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

// A handler that runs stays where it is, however many its calls add.
TEST(World, HandlerMayAddHandlers) {
  World world = make();
  const EntityId a = add(world, 100, 100);
  for (int i = 0; i < 3; ++i) (void)add(world, 110, 100);
  int own = 0, others = 0;
  const auto begun = world.add_sensor(a, {}, [&](const Event& event) {
    ++own;
    for (int i = 0; i < 100; ++i) {
      EXPECT_TRUE(world.add_trigger({500, 500, 0}, {}, [&](const Event&) { ++others; }));
    }
    EXPECT_EQ(event.observer, a) << "what it has captured is still there";
  });
  ASSERT_TRUE(begun);
  EXPECT_EQ(world.update()->events, 3u);
  EXPECT_EQ(own, 3);
  (void)add(world, 505, 500);
  (void)world.update();
  EXPECT_EQ(others, 300);
}

TEST(World, RefusesSecondSymmetricOrIndexedSensorInHandlers) {
  World world = make();
  const EntityId a = add(world, 100, 100);
  const EntityId b = add(world, 105, 100);
  (void)see(world, a, 30);
  SensorOptions lists;
  lists.limit.policy = LimitPolicy::symmetric;
  lists.indexed = true;
  SensorOptions indexed;
  indexed.indexed = true;
  SensorOptions mutual;
  mutual.limit.policy = LimitPolicy::symmetric;
  SensorId first, second;
  (void)world.update([&](const Event&) {
    first = *world.add_sensor(b, lists);
    EXPECT_EQ(world.add_sensor(b, mutual).error(), Errc::bad_option);
    EXPECT_EQ(world.add_sensor(b, indexed).error(), Errc::bad_option);
    EXPECT_TRUE(world.remove_sensor(first));
    second = *world.add_sensor(b, lists);
  });
  EXPECT_EQ(world.update()->refused, 0u);
  EXPECT_FALSE(world.owner(first));
  EXPECT_TRUE(world.owner(second));
  EXPECT_EQ(world.add_sensor(b, mutual).error(), Errc::bad_option);
  EXPECT_EQ(world.add_sensor(b, indexed).error(), Errc::bad_option);
  EXPECT_TRUE(world.remove(b));
  (void)world.update();
}

TEST(World, ImportIntoASensorAddedInTheSameHandler) {
  for (const Backend backend : kBackends) {
    World world = make(backend);
    const EntityId a = add(world, 100, 100);
    const EntityId b = add(world, 110, 100);
    const EntityId gone = add(world, 111, 100);
    (void)see(world, a, 15);
    ObserverState state;
    state.targets = {{0, 9, false}, {1, 4, false}, {2, 5, true}, {3, 6, false}};
    SensorOptions indexed;
    indexed.indexed = true;
    SensorId fresh;
    bool done = false;
    Recorder recorder(world.options());
    world.record_to(&recorder);
    (void)world.update([&](const Event&) {
      if (std::exchange(done, true)) return;
      EXPECT_TRUE(world.remove(gone));
      fresh = *world.add_sensor(a, indexed);
      const auto batch = world.import_state(fresh, state, [&](std::uint64_t key) {
        return key == 1 ? b : key == 2 ? a : key == 3 ? gone : EntityId{};
      });
      ASSERT_TRUE(batch);
      EXPECT_EQ(batch->kept, (std::vector<ReindexBatch::Kept>{{4, 1}}));
      EXPECT_EQ(batch->gone, (std::vector<std::uint16_t>{5, 6, 9})) << "itself, removed, unknown";
      EXPECT_FALSE(world.sees(fresh, b)) << "done when the telling is over";
    });
    ASSERT_TRUE(done);
    EXPECT_TRUE(world.sees(fresh, b));
    EXPECT_EQ(world.wire_index(fresh, b), 1);
    EXPECT_EQ(world.import_state(fresh, state, [&](std::uint64_t) { return b; }).error(),
              Errc::bad_option);
    const auto report = world.update();
    EXPECT_EQ(report->refused, 0u);
    for (const Event& event : world.events()) EXPECT_NE(event.sensor, fresh) << "known already";
  }
}

/// Of every kind that there is.
SensorOptions some_options(std::uint32_t kind) {
  SensorOptions of;
  of.radius = 20;
  of.indexed = kind == 1 || kind == 2;
  if (kind == 2 || kind == 3) of.limit = {LimitPolicy::nearest, 4, 0.1F};
  if (kind == 4) of.limit.policy = LimitPolicy::symmetric;
  if (kind == 5) of.filter = {0, 1, 2};
  return of;
}

// Whatever handlers do, pairs stay consistent, and all events of an update are reported.
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
    const auto track = [&](const Event& event) {
      const bool changed = event.kind == Kind::enter
                               ? pairs.insert({event.sensor, event.target}).second
                               : pairs.erase({event.sensor, event.target}) == 1;
      EXPECT_TRUE(changed);
    };
    std::vector<std::pair<SensorId, EntityId>> imported;  // seen without an event
    for (int tick = 0; tick < 120; ++tick) {
      int added = 0;
      const auto report = world.update([&](const Event& event) {
        track(event);
        EXPECT_EQ(world.update().error(), Errc::busy);
        const auto before = world.sees(event.sensor);
        switch (next(16)) {
          case 0:
            (void)world.remove(event.target);
            break;
          case 1:
            (void)world.remove_sensor(event.sensor);
            break;
          case 2: {
            // An entity that enters may add one that enters; additions show with the next update
            // only.
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
            (void)world.force(event.sensor, event.target, false);
            break;
          case 6:
            (void)world.set_beacon(event.target, next(2) == 0);
            break;
          case 7:
            (void)world.set_flags(event.target, next(8));
            break;
          case 8:
            (void)world.set_weight(event.target, static_cast<float>(next(5)));
            break;
          case 9:
            (void)world.set_special(event.observer, event.target, next(3) != 0);
            break;
          case 10:
            if (world.entities().size() > 60) break;
            (void)world.add_trigger({510, 545, 0}, some_options(next(6)), track);
            break;
          case 11: {
            const auto fresh = world.add_sensor(event.target, some_options(next(6)));
            if (!fresh || next(2) == 0) break;
            ObserverState state;
            state.targets = {{1, 1, next(2) == 0}, {2, 5, false}};
            const EntityId known[] = {event.observer, all[next(40)]};
            const auto batch = world.import_state(
                *fresh, state, [&](std::uint64_t key) { return known[key - 1]; });
            for (std::size_t i = 0; batch && i < batch->kept.size(); ++i) {
              imported.emplace_back(*fresh, known[batch->kept[i].from == 1 ? 0 : 1]);
            }
            break;
          }
          case 12:
            (void)world.set_options(event.sensor, some_options(next(6)));
            break;
          default:
            (void)world.set_radius(event.sensor, static_cast<float>(next(40)));
            break;
        }
        EXPECT_EQ(world.sees(event.sensor), before) << "done before the telling was over";
      });
      ASSERT_TRUE(report);
      for (const auto& pair : imported) EXPECT_TRUE(pairs.insert(pair).second);
      imported.clear();
      if (world.entities().size() < 20) (void)see(world, add(world, 520, 540), 30);
      for (const auto& [sensor, target] : pairs) {
        const bool both = world.owner(sensor) && world.position(target);
        EXPECT_TRUE(!both || world.sees(sensor, target));
      }
    }
    (void)world.update(track);
    std::size_t seen = 0;
    for (const EntityId one : world.entities()) {
      for (const SensorId sensor : world.sensors_of(one)) seen += world.sees(sensor).size();
    }
    EXPECT_EQ(seen, pairs.size());
  }
}

}  // namespace
}  // namespace starbus::aoi::test
