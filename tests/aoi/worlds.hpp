/// Small worlds of a few entities, for the tests that place them one by one.
#pragma once

#include "aoi/world.hpp"

namespace starbus::aoi::test {

inline constexpr Backend kBackends[] = {Backend::grid, Backend::hashed_grid, Backend::cross_list,
                                        Backend::brute_force};

inline World make(Backend backend = Backend::grid, std::uint16_t quarantine = 2) {
  WorldOptions of;
  of.backend = backend;
  of.bounds = {{0, 0, 0}, {1000, 1000, 0}};
  of.reach = 30;
  of.quarantine = quarantine;
  return *World::create(of);
}

inline EntityId add(World& world, float x, float y, std::uint64_t flags = 0) {
  EntityOptions of;
  of.position = {x, y, 0};
  of.flags = flags;
  return *world.add(of);
}

inline SensorId see(World& world, EntityId entity, float radius, float margin = 0) {
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

}  // namespace starbus::aoi::test
