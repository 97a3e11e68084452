/// Reaches each limit of crowds and flocks.
#include "nav/crowd/limits.hpp"

#include <gtest/gtest.h>

#include "nav/crowd/flock.hpp"
#include "tests/nav/crowd/scene.hpp"

namespace starbus::nav::crowd::test {
namespace {

template <class Value>
bool refuses(const Result<Value>& result, std::string_view limit, Errc code = Errc::too_large) {
  return result.error() == code && result.error().detail == limit;
}

Result<std::unique_ptr<Crowd>> crowd_with(const CrowdOptions& options) {
  static const auto ground = *grid::GridGround::create(field(4), {});
  return Crowd::create(*ground, options);
}

TEST(CrowdLimits, RefusesMoreThanKMaxWalkers) {
  EXPECT_TRUE(refuses(crowd_with({.walkers = kMaxWalkers + 1}), "kMaxWalkers"));
  Scene scene(field(300), {.walkers = kMaxWalkers});
  WalkerId last;
  for (std::uint32_t i = 0; i < kMaxWalkers; ++i) {
    last = scene.add(static_cast<float>(i % 256) + 0.5F, static_cast<float>(i / 256) + 0.5F);
  }
  EXPECT_TRUE(
      refuses(scene.crowd->add({.agent = scene.agent}, scene.at(1, 1)), "walkers", Errc::too_many));
  ASSERT_TRUE(scene.crowd->remove(last));
  EXPECT_TRUE(scene.crowd->add({.agent = scene.agent}, scene.at(1, 1)));
}

TEST(CrowdLimits, RefusesMoreSearchesThanKMaxSearches) {
  EXPECT_TRUE(crowd_with({.searches = kMaxSearches}));
  EXPECT_TRUE(refuses(crowd_with({.searches = kMaxSearches + 1}), "kMaxSearches"));
  EXPECT_EQ(crowd_with({.searches = 0}).error(), Errc::bad_option);
}

TEST(CrowdLimits, RefusesMoreNeighboursThanKMaxNeighbours) {
  EXPECT_TRUE(crowd_with({.neighbours = kMaxNeighbours}));
  EXPECT_TRUE(refuses(crowd_with({.neighbours = kMaxNeighbours + 1}), "kMaxNeighbours"));
}

TEST(CrowdLimits, KeepsTheKMaxWallsNearest) {
  // A comb: more walls within reach than are kept; the walker still does not leave the ground.
  Scene scene(
      "###########\n"
      "#.#.#.#.#.#\n"
      "#.#.#.#.#.#\n"
      "#.........#\n"
      "###########\n",
      {}, {.cell_size = 0.5F});
  std::array<Wall, 64> all;
  const Place at = scene.at(2.75F, 1.75F);
  const std::size_t count = scene.ground->walls_near(at, 3, scene.agent, all);
  EXPECT_GT(count, kMaxWalls);
  std::array<Wall, kMaxWalls> nearest;
  ASSERT_EQ(scene.ground->walls_near(at, 3, scene.agent, nearest), kMaxWalls);
  for (std::size_t i = 0; i < kMaxWalls; ++i) EXPECT_EQ(nearest[i], all[i]);
  const WalkerId id = scene.add(0.75F, 0.75F, {.radius = 0.2F});
  ASSERT_TRUE(scene.crowd->go_to(id, scene.at(4.75F, 0.75F), {}));
  ASSERT_TRUE(scene.until(1, 20));
  EXPECT_EQ(scene.reports[0].end, End::arrived);
}

TEST(CrowdLimits, WalksWaysOfMoreThanKMaxCorners) {
  // A way that winds: two corners in each row.
  constexpr std::uint32_t kRows = 61;
  grid::Terrain terrain = grid::plain(5, kRows);
  for (std::uint32_t y = 1; y < kRows; y += 2) {
    for (std::uint32_t x = 0; x < 5; ++x) {
      if (x != (y % 4 == 1 ? 4u : 0u)) terrain.areas[y * 5 + x] = kWall;
    }
  }
  Scene scene(std::move(terrain));
  const WalkerId id = scene.add(0.5F, 0.5F);
  ASSERT_TRUE(scene.crowd->go_to(id, scene.at(0.5F, kRows - 0.5F), {.version = 1}));
  scene.step();
  EXPECT_GE(scene.crowd->corners(id)->size() + 1, kMaxCorners - 1) << "full";
  ASSERT_TRUE(scene.until(1, 200));
  EXPECT_EQ(scene.reports[0], (Report{id, 1, End::arrived}));
  EXPECT_GE(scene.crowd->counts().searches, 2u);
}

TEST(CrowdLimits, RefusesPrioritiesBeyondKMaxPriority) {
  Scene scene(field(4));
  EXPECT_TRUE(scene.crowd->add({.agent = scene.agent, .priority = kMaxPriority}, scene.at(1, 1)));
  EXPECT_TRUE(refuses(
      scene.crowd->add({.agent = scene.agent, .priority = kMaxPriority + 1}, scene.at(1, 1)),
      "kMaxPriority"));
}

TEST(CrowdLimits, KeepsKMaxReportsPerWalker) {
  Scene scene(field(20), {.walkers = 2});
  const WalkerId id = scene.add(1.5F, 1.5F);
  const WalkerId other = scene.add(9.5F, 9.5F);
  std::uint32_t version = 0;
  // Each one ends the one before; calls leave room for what a step needs.
  for (std::uint32_t i = 0; i < 2 * (kMaxReportsPerWalker - 1) + 1; ++i) {
    ASSERT_TRUE(scene.crowd->go_to(id, scene.at(1.5F, 1.5F), {.version = ++version}));
  }
  constexpr std::string_view kLimit = "kMaxReportsPerWalker";
  const Place there = scene.at(3.5F, 1.5F);
  EXPECT_TRUE(refuses(scene.crowd->go_to(id, there, {}), kLimit, Errc::too_many));
  EXPECT_TRUE(refuses(scene.crowd->cancel(id), kLimit, Errc::too_many));
  EXPECT_TRUE(refuses(scene.crowd->remove(id), kLimit, Errc::too_many));
  EXPECT_TRUE(refuses(scene.crowd->teleport(id, there), kLimit, Errc::too_many));
  for (int i = 0; i < 2; ++i) {  // both arrive in the step, and again: one end finds no room
    for (const WalkerId one : {id, other}) {
      if (i > 0 || one == other) {
        ASSERT_TRUE(scene.crowd->go_to(one, scene.state(one).place, {.version = ++version}));
      }
    }
    ASSERT_TRUE(scene.crowd->step(kTick));
  }
  scene.run(1);
  scene.run(1);
  ASSERT_EQ(scene.reports.size(), version) << "each once, the last ones when there was room";
  for (std::uint32_t i = 0; i < version; ++i) {
    std::size_t times = 0;
    for (const Report& report : scene.reports) times += report.version == i + 1;
    EXPECT_EQ(times, 1u) << i + 1;
  }
}

TEST(CrowdLimits, AStepIsAtMostKMaxStep) {
  Scene scene(field(60));
  const WalkerId id = scene.add(5.5F, 30.5F);
  ASSERT_TRUE(scene.crowd->go_to(id, scene.at(55.5F, 30.5F), {}));
  scene.run(2);
  const Vec before = scene.where(id);
  scene.step(60);
  EXPECT_LE(length(scene.where(id) - before), 3.0F * kMaxStep / 1000 + 1e-3F);
  for (const float wrong : {0.0F, -1.0F, NAN, INFINITY}) {
    EXPECT_EQ(scene.crowd->step(wrong).error(), Errc::bad_option);
  }
}

TEST(CrowdLimits, RefusesWhatIsNoWalker) {
  Scene scene(field(4));
  const Place at = scene.at(1, 1);
  const auto with = [&](Walker walker) {
    walker.agent = scene.agent;
    return scene.crowd->add(walker, at).error();
  };
  EXPECT_EQ(with({.radius = 0}), Errc::bad_option);
  EXPECT_EQ(with({.height = NAN}), Errc::bad_option);
  EXPECT_EQ(with({.speed = -1}), Errc::bad_option);
  EXPECT_EQ(with({.acceleration = INFINITY}), Errc::bad_option);
  EXPECT_EQ(scene.crowd->add({}, at).error(), Errc::unknown_agent);
  EXPECT_EQ(scene.crowd->add({.agent = scene.agent}, {}).error(), Errc::bad_start);
  const WalkerId id = scene.add(1, 1);
  EXPECT_EQ(scene.crowd->go_to(id, at, {.distance = -1}).error(), Errc::bad_option);
  EXPECT_EQ(scene.crowd->go_to(id, {}, {}).error(), Errc::bad_goal);
  EXPECT_EQ(scene.crowd->approach(id, id, {}).error(), Errc::bad_option);
  EXPECT_EQ(scene.crowd->follow(id, {}, {}).error(), Errc::unknown_walker);
}

// -- Flocks

struct Herd {
  explicit Herd(std::uint32_t side, std::uint32_t most = 16)
      : ground(*grid::GridGround::create(field(side), {})),
        agent(*ground->add_agent({})),
        flock(*Flock::create(*ground, agent, {.units = most})) {
    EXPECT_TRUE(around.build(*ground->layer(agent), {0, 0}));
  }
  Place place(std::uint16_t x, std::uint16_t y) const { return ground->place({x, y}); }
  std::unique_ptr<grid::GridGround> ground;
  AgentId agent;
  std::unique_ptr<Flock> flock;
  grid::FlowField around;
};

TEST(FlockLimits, RefusesMoreThanKMaxUnits) {
  Herd herd(4, kMaxUnits);
  EXPECT_TRUE(
      refuses(Flock::create(*herd.ground, herd.agent, {.units = kMaxUnits + 1}), "kMaxUnits"));
  const GroupId group = *herd.flock->add_group(herd.around, herd.place(0, 0));
  for (std::uint32_t i = 0; i < kMaxUnits; ++i) {
    ASSERT_TRUE(herd.flock->add(group, herd.place(1, 1)));
  }
  EXPECT_TRUE(refuses(herd.flock->add(group, herd.place(1, 1)), "units", Errc::too_many));
}

TEST(FlockLimits, RefusesMoreThanKMaxGroups) {
  Herd herd(4);
  for (std::uint32_t i = 0; i < kMaxGroups; ++i) {
    ASSERT_TRUE(herd.flock->add_group(herd.around, herd.place(0, 0)));
  }
  EXPECT_TRUE(
      refuses(herd.flock->add_group(herd.around, herd.place(0, 0)), "kMaxGroups", Errc::too_many));
}

TEST(FlockLimits, LooksKMaxStrayCellsAround) {
  Herd herd(40);
  // A field of few cells around its goal.
  const grid::FlowField::Goal goal{{0, 0}};
  ASSERT_TRUE(herd.around.build(*herd.ground->layer(herd.agent), {&goal, 1}, 3 * grid::kStraight));
  const GroupId group = *herd.flock->add_group(herd.around, herd.place(0, 0));
  const UnitId near = *herd.flock->add(group, herd.place(3 + kMaxStray, 0));
  const UnitId far = *herd.flock->add(group, herd.place(4 + kMaxStray, 4));
  ASSERT_TRUE(herd.flock->step(0.1F));
  EXPECT_EQ(herd.flock->group(group)->strays, 2u);
  for (int i = 0; i < 80; ++i) ASSERT_TRUE(herd.flock->step(0.1F));
  EXPECT_TRUE(herd.flock->unit(near)->arrived) << "it has joined the field";
  EXPECT_EQ(herd.flock->unit(far)->place, herd.place(4 + kMaxStray, 4));
  EXPECT_EQ(herd.flock->group(group)->strays, 1u);
}

}  // namespace
}  // namespace starbus::nav::crowd::test
