/// Cross lists beside brute force, where bounds have many widths and coordinates are coarse.
#include <gtest/gtest.h>

#include <random>

#include "aoi/world.hpp"

namespace starbus::aoi::test {
namespace {

// Square worlds of 600 m, from `corner` on, in which all walk and some change their radius.
class Walk {
 public:
  Walk(Backend backend, float corner) : world_(*World::create(options(backend))), corner_(corner) {
    for (int i = 0; i < 150; ++i) {
      EntityOptions of;
      of.position = {any(600), any(600), 0};
      of.observable = i % 5 != 0;
      ids_.push_back(*world_.add(of));
      if (i % 7 != 1) look(ids_.back());
      if (i % 3 == 0) look(ids_.back());
    }
  }

  std::vector<Event> update() {
    for (const EntityId id : ids_) {
      const float step = chance_() % 40 == 0 ? 50 : 3;
      const Position from = world_.entity(id)->position;
      const float x = from.x + any(2 * step) - corner_ - step;
      const float y = from.y + any(2 * step) - corner_ - step;
      (void)world_.move(id, {x, y, 0});
      if (chance_() % 50 != 0) continue;
      for (const SensorId sensor : world_.sensors_of(id)) (void)world_.set_radius(sensor, radius());
    }
    (void)world_.update();
    return {world_.events().begin(), world_.events().end()};
  }

 private:
  static WorldOptions options(Backend backend) {
    WorldOptions of;
    of.backend = backend;
    of.reach = 30;
    return of;
  }
  float any(float below) {
    return corner_ + below * static_cast<float>(chance_() % 10'000) / 10'000;
  }
  float radius() {
    constexpr float kRadii[] = {0, 1, 10, 30, 30, 30, 31, 47, 150, 2'000};
    return kRadii[chance_() % 10];
  }
  void look(EntityId entity) {
    SensorOptions of;
    of.radius = radius();
    (void)world_.add_sensor(entity, of);
  }

  World world_;
  const float corner_;
  std::mt19937 chance_{7};
  std::vector<EntityId> ids_;
};

void walk(float corner) {
  Walk lists(Backend::cross_list, corner);
  Walk all(Backend::brute_force, corner);
  for (int tick = 0; tick < 200; ++tick) ASSERT_EQ(lists.update(), all.update()) << tick;
}

TEST(CrossIndex, FindsCandidatesWithBoundsOfManyWidths) {
  walk(0);
}

// Six centimetres lie between one coordinate and the next.
TEST(CrossIndex, FindsCandidatesAtTheLargestCoordinates) {
  walk(static_cast<float>(kMaxCoordinate) - 700);
}

// One comes along an axis and finds the other almost beyond the slack of the other axis; then both
// come as near as they may without a shift. Both nodes have been shifted to where they are.
TEST(CrossIndex, FindsCandidatesAlmostBeyondTheSlack) {
  for (const bool upright : {false, true}) {
    for (const float side : {1.F, -1.F}) {
      WorldOptions of;
      of.backend = Backend::cross_list;
      of.reach = 30;  // and so a slack of 7.5 m
      World world = *World::create(of);
      const auto at = [&](float along, float across) {
        return upright ? Position{500 + side * across, along, 0}
                       : Position{along, 500 + side * across, 0};
      };
      const auto put = [&](EntityId one, float along, float across) {
        ASSERT_TRUE(world.move(one, at(along, across)));
        (void)world.update();
      };
      EntityOptions walker;
      walker.position = at(440, 0);
      EntityOptions other;
      other.position = at(500, 60);
      const EntityId target = *world.add(other);
      const EntityId owner = *world.add(walker);
      SensorOptions eyes;
      eyes.radius = 30;
      const SensorId sensor = *world.add_sensor(owner, eyes);
      (void)world.update();
      put(target, 500, 44.5F);
      put(target, 500, 37.2F);
      for (float along = 450; along <= 500; along += 10) put(owner, along, 0);
      EXPECT_FALSE(world.sees(sensor, target));
      put(owner, 500, 7.4F);
      EXPECT_TRUE(world.sees(sensor, target));
    }
  }
}

// In float 65,536 m and a millimetre are 65,536 m, and so in range. Both come as near as they may
// without a shift of their nodes, which lie farther from each other than radius and twice the
// slack.
TEST(CrossIndex, LosesNoTargetToRounding) {
  constexpr auto kFar = static_cast<float>(kMaxRadius);
  constexpr float kSlack = 8;
  constexpr float kLittle = 1.0F / 1024;
  for (const Backend backend :
       {Backend::brute_force, Backend::grid, Backend::hashed_grid, Backend::cross_list}) {
    WorldOptions of;
    of.backend = backend;
    of.reach = kFar;
    World world = *World::create(of);
    EntityOptions at;
    at.position = {kFar + kSlack, 0, 0};
    const EntityId owner = *world.add(at);
    SensorOptions eyes;
    eyes.radius = kFar;
    const SensorId sensor = *world.add_sensor(owner, eyes);
    at.position = {-kSlack - kLittle, 0, 0};
    const EntityId target = *world.add(at);
    (void)world.update();
    EXPECT_FALSE(world.sees(sensor, target));
    ASSERT_TRUE(world.move(owner, {kFar, 0, 0}));
    ASSERT_TRUE(world.move(target, {-kLittle, 0, 0}));
    (void)world.update();
    EXPECT_TRUE(world.sees(sensor, target)) << static_cast<int>(backend);
  }
}

}  // namespace
}  // namespace starbus::aoi::test
