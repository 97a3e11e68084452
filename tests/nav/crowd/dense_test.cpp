/// Many walkers in each other's way: they get through, and none gets into another.
#include <gtest/gtest.h>

#include "tests/nav/crowd/scene.hpp"

namespace starbus::nav::crowd::test {
namespace {

// What part of their size two may overlap where there is no other way: docs/guide/navigation.md.
constexpr float kTolerance = 0.05F;
constexpr float kRadius = 0.4F;

// On a circle, by halving chords: nothing of libm, so that it is the same everywhere.
Vec on_circle(int i, int count) {
  const auto turn = static_cast<double>(i) / count * 4;  // in quarters
  const int quarter = static_cast<int>(turn);
  const double part = turn - quarter;
  double x = 1 - part;
  double y = part;
  const double size = std::sqrt(x * x + y * y);
  x /= size;
  y /= size;
  for (int k = 0; k < quarter; ++k) {
    const double kept = x;
    x = -y;
    y = kept;
  }
  return {static_cast<float>(x), static_cast<float>(y)};
}

struct Crossing {
  float deepest = 0;
  std::size_t arrived = 0;
  float seconds = 0;
};

// Until all have arrived; with `leave`, they go away then, as through a door.
Crossing run_until_all_arrive(Scene& scene, std::vector<WalkerId> ids, float seconds, bool leave) {
  Crossing crossing;
  const std::size_t all = ids.size();
  for (; crossing.seconds < seconds && scene.reports.size() < all; crossing.seconds += kTick) {
    const std::size_t had = scene.reports.size();
    scene.step();
    for (std::size_t i = had; leave && i < scene.reports.size(); ++i) {
      EXPECT_TRUE(scene.crowd->remove(scene.reports[i].walker));
      std::erase(ids, scene.reports[i].walker);
    }
    crossing.deepest = std::max(crossing.deepest, deepest(scene, ids, kRadius));
    for (const WalkerId id : ids) {
      const WalkerState state = scene.state(id);
      EXPECT_TRUE(scene.ground->reachable(state.place, state.place, scene.agent));
      EXPECT_LE(length(flat(state.velocity)), 3.001F);
    }
  }
  for (const Report& report : scene.reports) crossing.arrived += report.end == End::arrived;
  return crossing;
}

TEST(Dense, TwoHundredOnACircleSwapSides) {
  Scene scene(field(120));
  std::vector<WalkerId> ids;
  constexpr int kCount = 200;
  for (int i = 0; i < kCount; ++i) {
    const Vec from = on_circle(i, kCount) * 40 + Vec{60, 60};
    ids.push_back(scene.add(from.x, from.y, {.radius = kRadius}));
  }
  for (int i = 0; i < kCount; ++i) {
    const Vec to = on_circle(i, kCount) * -40 + Vec{60, 60};
    ASSERT_TRUE(scene.crowd->go_to(ids[static_cast<std::size_t>(i)], scene.at(to.x, to.y),
                                   {.distance = 1.5F}));
  }
  const Crossing crossing = run_until_all_arrive(scene, ids, 60, false);
  EXPECT_EQ(crossing.arrived, ids.size());
  EXPECT_LE(crossing.deepest, kTolerance);
}

TEST(Dense, TwoStreamsCross) {
  Scene scene(field(80));
  std::vector<WalkerId> ids;
  for (int row = 0; row < 10; ++row) {
    for (int column = 0; column < 10; ++column) {
      const auto across = static_cast<float>(35 + row);
      const auto along = static_cast<float>(column) * 1.2F;
      ids.push_back(scene.add(5 + along, across, {.radius = kRadius}));
      ASSERT_TRUE(scene.crowd->go_to(ids.back(), scene.at(60 + along, across), {.distance = 2}));
      ids.push_back(scene.add(across, 5 + along, {.radius = kRadius}));
      ASSERT_TRUE(scene.crowd->go_to(ids.back(), scene.at(across, 60 + along), {.distance = 2}));
    }
  }
  const Crossing crossing = run_until_all_arrive(scene, ids, 60, true);
  EXPECT_EQ(crossing.arrived, ids.size());
  EXPECT_LE(crossing.deepest, kTolerance);
}

TEST(Dense, AHundredGoThroughADoor) {
  grid::Terrain terrain = field(60);
  for (std::uint32_t y = 0; y < 60; ++y) {
    if (y != 30 && y != 31) terrain.areas[y * 60 + 30] = kWall;
  }
  Scene scene(std::move(terrain));
  std::vector<WalkerId> ids;
  for (int i = 0; i < 100; ++i) {
    const auto row = static_cast<float>(i / 10);
    const auto column = static_cast<float>(i % 10);
    ids.push_back(scene.add(8 + column * 1.2F, 25 + row * 1.2F, {.radius = kRadius}));
    ASSERT_TRUE(scene.crowd->go_to(ids.back(), scene.at(40 + column * 1.2F, 25 + row * 1.2F),
                                   {.distance = 2}));
  }
  const Crossing crossing = run_until_all_arrive(scene, ids, 60, true);
  EXPECT_EQ(crossing.arrived, ids.size());
  EXPECT_LE(crossing.deepest, kTolerance);
}

}  // namespace
}  // namespace starbus::nav::crowd::test
