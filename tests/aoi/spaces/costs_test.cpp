/// Filters, beacons, batches and mass leaves cost what plain ones do: work that grows with the
/// square of a world is many times the bounds here. Processor time of this thread, the least of
/// some rounds.
#include <gtest/gtest.h>
#include <time.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "aoi/wire/wire.hpp"
#include "tests/aoi/worlds.hpp"

namespace starbus::aoi::test {
namespace {

double seconds_of_thread() {
  timespec at{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &at);
  return static_cast<double>(at.tv_sec) + static_cast<double>(at.tv_nsec) / 1e9;
}

double least(int rounds, const std::function<double()>& measure) {
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < rounds; ++i) best = std::min(best, measure());
  return best;
}

WorldOptions open_field(Backend backend, float size) {
  WorldOptions of;
  of.backend = backend;
  of.bounds = {{0, 0, 0}, {size, size, 0}};
  of.reach = 30;
  return of;
}

/// A row of places, each with one entity in range of its two neighbours.
Position place(std::size_t i) {
  return {static_cast<float>(i % 64) * 25, static_cast<float>(i / 64) * 50, 0};
}

class Costs : public ::testing::TestWithParam<Backend> {};
INSTANTIATE_TEST_SUITE_P(Spaces, Costs, ::testing::Values(Backend::grid, Backend::hashed_grid));

// At the time of the fault 4,000 filtered ones took a hundred times as long as plain ones.
TEST_P(Costs, AFilteredSensorIsAddedLikeAPlainOne) {
  constexpr std::size_t kCount = 4'000;
  const auto insert = [&](const SensorOptions& sensor) {
    return least(3, [&] {
      World world = *World::create(open_field(GetParam(), 3'200));
      const double begin = seconds_of_thread();
      for (std::size_t i = 0; i < kCount; ++i) {
        EntityOptions of;
        of.position = place(i);
        of.flags = 1;
        (void)*world.add_sensor(*world.add(of), sensor);
      }
      return seconds_of_thread() - begin;
    });
  };
  SensorOptions filtered;
  filtered.filter.need = 1;
  EXPECT_LT(insert(filtered), 5 * insert({}));
}

// So does the filter that a churning crowd of one takes along and brings back.
TEST_P(Costs, AFilterThatComesBackIsNotComputedAgain) {
  World world = *World::create(open_field(GetParam(), 3'200));
  for (std::size_t i = 0; i < 4'000; ++i) {
    EntityOptions of;
    of.position = place(i);
    (void)*world.add(of);
  }
  const EntityId one = *world.add({});
  const auto churn = [&](const SensorOptions& sensor) {
    return least(3, [&] {
      const double begin = seconds_of_thread();
      for (int i = 0; i < 200; ++i) {
        EXPECT_TRUE(world.remove_sensor(*world.add_sensor(one, sensor)));
      }
      return seconds_of_thread() - begin;
    });
  };
  SensorOptions filtered;
  filtered.filter.need = 1;
  EXPECT_LT(churn(filtered), 5 * churn({}));
}

// Half of the observers only lose somebody, half of them only gain somebody, taking turns.
TEST_P(Costs, BatchesCostWhatTheyHold) {
  const auto cost_of = [&](std::size_t observers) {
    World world = *World::create(open_field(GetParam(), 3'200));
    SensorOptions sensor;
    sensor.radius = 10;
    sensor.indexed = true;
    std::vector<EntityId> others;
    for (std::size_t i = 0; i < observers; ++i) {
      EntityOptions of;
      of.position = place(i);
      (void)*world.add_sensor(*world.add(of), sensor);
      of.position.y += i % 2 == 0 ? 5.0F : 20.0F;
      others.push_back(*world.add(of));
    }
    (void)world.update();
    for (std::size_t i = 0; i < observers; ++i) {
      Position at = place(i);
      at.y += i % 2 == 0 ? 20.0F : 5.0F;
      EXPECT_TRUE(world.move(others[i], at));
    }
    (void)world.update();
    std::vector<ObserverBatch> out;
    return least(3, [&] {
      const double begin = seconds_of_thread();
      batches(world, out);
      EXPECT_EQ(out.size(), observers);
      return seconds_of_thread() - begin;
    });
  };
  EXPECT_LT(cost_of(4'000), 40 * cost_of(400)) << "ten times as many";
}

// A beacon is told to all once, and then costs nothing; nor when it is taken away.
TEST_P(Costs, ABeaconLeavesItsWorldAsFastAsItWas) {
  constexpr std::size_t kCount = 2'000;
  World world = *World::create(open_field(GetParam(), 1'600));
  std::vector<EntityId> all;
  for (std::size_t i = 0; i < kCount; ++i) {
    EntityOptions of;
    of.position = place(i);
    all.push_back(*world.add(of));
    (void)*world.add_sensor(all.back(), {});
  }
  const EntityId beacon = *world.add({});
  const auto update = [&] {
    return least(4, [&] {
      for (const float off : {7.0F, 0.0F}) {
        for (std::size_t i = 0; i < kCount; ++i) {
          Position at = place(i);
          at.x += i % 2 == 0 ? off : -off;
          EXPECT_TRUE(world.move(all[i], at));
        }
        (void)world.update();
      }
      const double begin = seconds_of_thread();
      for (std::size_t i = 0; i < kCount; ++i) {
        Position at = place(i);
        at.x += i % 2 == 0 ? 9.0F : -9.0F;
        EXPECT_TRUE(world.move(all[i], at));
      }
      (void)world.update();
      return seconds_of_thread() - begin;
    });
  };
  const double before = update();
  const std::uint64_t bytes = world.memory();
  ASSERT_TRUE(world.set_beacon(beacon, true));
  (void)world.update();
  EXPECT_EQ(world.observers(beacon).size(), kCount);
  EXPECT_LT(update(), 2.5 * before);
  ASSERT_TRUE(world.set_beacon(beacon, false));
  (void)world.update();
  EXPECT_LT(update(), 2.5 * before);
  EXPECT_LT(world.memory(), bytes + bytes / 3);
}

// One large sensor makes a layer in which everybody is kept; without it that goes again.
TEST_P(Costs, ALayerThatNobodyNeedsIsDropped) {
  World world = *World::create(open_field(GetParam(), 1'600));
  EntityOptions of;
  for (std::size_t i = 0; i < 2'000; ++i) {
    of.position = place(i);
    (void)*world.add(of);
  }
  SensorOptions large;
  large.radius = 900;
  (void)world.update();
  const std::uint64_t bytes = world.memory();
  const SensorId sensor = *world.add_sensor(*world.add({}), large);
  (void)world.update();
  EXPECT_GT(world.sees(sensor).size(), 500u);
  ASSERT_TRUE(world.remove_sensor(sensor));
  for (int tick = 0; tick < 40; ++tick) (void)world.update();
  // The events of the update in which it left are kept a while.
  EXPECT_LT(world.memory(), bytes + bytes / 4);
  const SensorId again = *world.add_sensor(*world.add({}), large);
  (void)world.update();
  EXPECT_GT(world.sees(again).size(), 500u);
}

// All members of symmetric lists leave in one tick.
TEST_P(Costs, AMassLeaveOfMembersCostsWhatTheyAre) {
  const auto cost_of = [&](std::size_t count) {
    return least(2, [&] {
      World world = *World::create(open_field(GetParam(), 2'000));
      SensorOptions mutual;
      mutual.limit.policy = LimitPolicy::symmetric;
      std::vector<EntityId> all;
      for (std::size_t i = 0; i < count; ++i) {
        EntityOptions of;
        of.position = {static_cast<float>(i % 32) * 60, static_cast<float>(i / 32) * 30, 0};
        all.push_back(*world.add(of));
        (void)*world.add_sensor(all.back(), mutual);
      }
      (void)world.update();
      const double begin = seconds_of_thread();
      for (const EntityId one : all) EXPECT_TRUE(world.remove(one));
      (void)world.update();
      return seconds_of_thread() - begin;
    });
  };
  EXPECT_LT(cost_of(2'000), 40 * cost_of(200)) << "ten times as many";
}

// A crowd in which all see all: as many pairs as the square, but no more work than that.
TEST(CrossListCosts, AMassLeaveOfACrowdCostsItsPairs) {
  const auto cost_of = [&](std::size_t count) {
    return least(2, [&] {
      World world = *World::create(open_field(Backend::cross_list, 200));
      std::vector<EntityId> all;
      for (std::size_t i = 0; i < count; ++i) {
        all.push_back(add(world, 100, 100));
        (void)*world.add_sensor(all.back(), {});
      }
      (void)world.update();
      const double begin = seconds_of_thread();
      for (const EntityId one : all) EXPECT_TRUE(world.remove(one));
      (void)world.update();
      return seconds_of_thread() - begin;
    });
  };
  EXPECT_LT(cost_of(400), 40 * cost_of(100)) << "sixteen times the pairs";
}

TEST_P(Costs, NearestWithoutBoundEndsWithTheMap) {
  World world = *World::create(open_field(GetParam(), 1'600));
  for (std::size_t i = 0; i < 10; ++i) (void)add(world, static_cast<float>(i) * 100, 100);
  const auto found = *world.nearest({0, 0, 0}, 20, std::numeric_limits<float>::max());
  EXPECT_EQ(found.size(), 10u);
  EXPECT_LT(world.statistics().queries, 25u) << "circles, each twice as large";
}

}  // namespace
}  // namespace starbus::aoi::test
