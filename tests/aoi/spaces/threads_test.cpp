/// Several worlds on several threads: each thread has its own, and none knows of the others.
#include <gtest/gtest.h>

#include <thread>

#include "aoi/wire/wire.hpp"
#include "tests/aoi/worlds.hpp"

namespace starbus::aoi::test {
namespace {

/// A short life of a world; the bytes of all its batches.
std::string live(Backend backend) {
  WorldOptions options;
  options.backend = backend;
  options.bounds = {{0, 0, 0}, {200, 200, 0}};
  options.quarantine = 1;
  World world = *World::create(options);
  std::uint32_t chance = 1;
  const auto below = [&](std::uint32_t bound) {
    chance = chance * 1'664'525 + 1'013'904'223;
    return (chance >> 8) % bound;
  };
  const auto somewhere = [&] {
    const auto x = static_cast<float>(below(200));
    return Position{x, static_cast<float>(below(200)), 0};
  };
  std::vector<EntityId> all;
  std::string said;
  for (std::uint64_t key = 1; key <= 60; ++key) {
    EntityOptions of;
    of.position = somewhere();
    of.key = key;
    of.flags = key % 4;
    all.push_back(*world.add(of));
    SensorOptions sensor;
    sensor.indexed = true;
    sensor.filter.any = 1 + key % 3;
    if (key % 3 == 0) sensor.limit = {LimitPolicy::nearest, 3, 0.1F};
    if (key % 5 == 0) sensor.limit.policy = LimitPolicy::symmetric;
    (void)*world.add_sensor(all.back(), sensor);
  }
  for (int tick = 0; tick < 30; ++tick) {
    for (const EntityId one : all) (void)world.move(one, somewhere());
    (void)world.set_beacon(all[below(60)], tick % 2 == 0);
    (void)world.update();
    for (const ObserverBatch& batch : batches(world)) said += encode(batch);
  }
  return said;
}

TEST(Threads, WorldsOfSeveralThreadsAreIndependent) {
  constexpr std::size_t kThreads = 4;
  std::vector<std::string> said(kThreads);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&said, i] { said[i] = live(kBackends[i]); });
  }
  for (std::thread& one : threads) one.join();
  EXPECT_FALSE(said[0].empty());
  for (std::size_t i = 0; i < kThreads; ++i) EXPECT_EQ(said[i], live(kBackends[i])) << i;
}

}  // namespace
}  // namespace starbus::aoi::test
