/// Doors: entities in the way of walkers, and the ways that operators see.
#include <nlohmann/json.hpp>

#include "nodes/space/nav/limits.hpp"
#include "tests/nodes/space_nav/meadow.hpp"

namespace starbus::nodes::crowds::test {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;

const NavBlock kWide{{-1, -50, 0}, {1, 50, 3}};

class NavObstacles : public NavTestBase {
 protected:
  static space::NavType type(std::uint32_t obstacles = 2) {
    space::NavType type = NavTestBase::type();
    type.crowd.obstacles = obstacles;
    return type;
  }
  Door& door(const NavBlock& block = kWide) {
    Door& made = **entities.create<Door>();
    EXPECT_TRUE(made.obstacle().set(block));
    return made;
  }
  /// What the next batch says of obstacles.
  std::vector<Request> told() {
    if (!port.waiting.empty()) port.answer();
    meadow.tick();
    return port.batches.back().requests;
  }
  template <class What>
  static const What& only(const std::vector<Request>& requests) {
    EXPECT_EQ(requests.size(), 1u);
    return std::get<What>(requests.at(0));
  }

  SlowPort port;
  Meadow meadow{port, type()};
};

TEST_F(NavObstacles, WhoComesIsToldOnceAndWhoLeavesIsTakenAway) {
  Door& a = door();
  meadow.enter(a, 20, 30);
  EXPECT_EQ(only<Block>(told()), (Block{1, {{19, -20, 0}, {21, 80, 3}}, nav::kWall}));
  EXPECT_TRUE(told().empty());
  meadow.leave(a);
  EXPECT_EQ(only<Unblock>(told()).obstacle, 1u);
  EXPECT_TRUE(told().empty());
}

TEST_F(NavObstacles, AnOpenDoorIsInNobodysWay) {
  Door& a = door();
  a.obstacle().set_present(false);
  meadow.enter(a, 20, 30);
  EXPECT_TRUE(told().empty());
  a.obstacle().set_present(true);
  EXPECT_EQ(only<Block>(told()).obstacle, 1u);
  a.obstacle().set_present(false);
  a.obstacle().set_present(true);
  EXPECT_TRUE(told().empty()) << "closed again before the next batch";
  a.obstacle().set_present(false);
  EXPECT_EQ(only<Unblock>(told()).obstacle, 1u);
}

TEST_F(NavObstacles, OneThatMovesStandsElsewhere) {
  Door& a = door({{-1, -1, 0}, {1, 1, 2}, 7});
  meadow.enter(a, 20, 30);
  told();
  movement::Locomotion there = a.mover().state();
  there.position = {40, 30, 0};
  ASSERT_TRUE(a.mover().place(there));
  EXPECT_EQ(only<Block>(told()), (Block{1, {{39, 29, 0}, {41, 31, 2}}, 7}));
}

TEST_F(NavObstacles, AnotherCrowdIsToldAgain) {
  meadow.enter(door(), 20, 30);
  told();
  port.answer(Error(Errc::unknown_crowd));
  for (int i = 0; i < 4; ++i) meadow.tick();
  ASSERT_EQ(port.creates, 2);
  EXPECT_EQ(only<Block>(port.batches.back().requests).obstacle, 1u);
}

TEST_F(NavObstacles, BeyondThoseOfTheTypeTheyAreInNobodysWay) {
  Door& first = door();
  meadow.enter(first, 20, 30);
  meadow.enter(door(), 30, 30);
  meadow.enter(door(), 40, 30);
  EXPECT_EQ(told().size(), 2u);
  meadow.leave(first);
  meadow.enter(door(), 50, 30);
  EXPECT_EQ(only<Block>(told()), (Block{1, {{49, -20, 0}, {51, 80, 3}}, nav::kWall}));
}

TEST_F(NavObstacles, OneWithoutSizeOrNumbersIsRefused) {
  Door& a = door();
  for (const NavBlock& bad : {NavBlock{{1, 0, 0}, {0, 1, 1}}, NavBlock{{0, 0, 0}, {1, 1, NAN}},
                              NavBlock{{0, 0, 0}, {1, 1, 1}, 64}}) {
    EXPECT_EQ(a.obstacle().set(bad).error(), Errc::bad_request);
  }
  EXPECT_EQ(a.obstacle().block(), kWide);
}

TEST_F(NavObstacles, ADoorTravelsAsItIs) {
  Door& a = door({{-1, -1, 0}, {1, 1, 2}, 7});
  a.obstacle().set_present(false);
  const auto packed = entities.freeze(a);
  ASSERT_TRUE(packed) << packed.error().to_string();
  const auto arrived = other_process.create_moved(*packed);
  ASSERT_TRUE(arrived) << arrived.error().to_string();
  auto* const there = (**arrived).component<NavObstacle>();
  ASSERT_NE(there, nullptr);
  EXPECT_EQ(there->block(), a.obstacle().block());
  EXPECT_FALSE(there->present());
}

TEST_F(NavObstacles, WaysAreToldWhileSomebodyLooks) {
  Wolf& a = wolf();
  meadow.enter(a, 5, 5);
  ASSERT_TRUE(a.nav().go_to({50, 5, 0}));
  told();
  EXPECT_FALSE(port.batches.back().ways);
  json row = json::object();
  meadow.nav->show(a, row);
  EXPECT_EQ(row["nav"], (json{{"task", "go_to"}, {"doing", "idle"}}));
  told();
  EXPECT_TRUE(port.batches.back().ways);
  Answer answer;
  answer.ways = {{{1, 1}, {{10, 5, 0}, {50, 5, 0}}}, {{1, 9}, {{0, 0, 0}}}, {{99, 1}, {}}};
  port.answer(std::move(answer));
  meadow.nav->show(a, row);
  EXPECT_EQ(row["nav"]["way"], (json{{10, 5, 0}, {50, 5, 0}}));
  for (std::chrono::nanoseconds passed{}; passed <= kLook; passed += 100ms) told();
  EXPECT_FALSE(port.batches.back().ways);
  row.clear();
  meadow.nav->show(a, row);
  EXPECT_FALSE(row["nav"].contains("way"));
}

TEST_F(SpaceNavPool, AWolfWalksAroundADoorAndThroughIt) {
  space::NavType how = type();
  how.crowd.obstacles = 1;
  begin(how);
  Door& door = **entities.create<Door>();
  ASSERT_TRUE(door.obstacle().set({{-0.5F, -50, 0}, {0.5F, 30, 3}}));
  meadow->enter(door, 20, 50);  // from y = 0 to 80
  Wolf& a = wolf();
  ASSERT_TRUE(a.nav().set({.kind = "small", .speed = 10, .acceleration = 50}));
  meadow->enter(a, 5, 50);
  ASSERT_TRUE(a.nav().go_to({40, 50, 0}));
  float farthest = 0;
  ASSERT_TRUE(until([&] {
    farthest = std::max(farthest, a.at().y);
    return !ends.empty();
  }));
  EXPECT_EQ(ends[0].outcome, NavOutcome::arrived);
  EXPECT_GT(farthest, 80) << "around its end";
  door.obstacle().set_present(false);
  ASSERT_TRUE(a.nav().go_to({5, 50, 0}));
  farthest = 0;
  ASSERT_TRUE(until([&] {
    farthest = std::max(farthest, a.at().y);
    return ends.size() == 2;
  }));
  EXPECT_EQ(ends[1].outcome, NavOutcome::arrived);
  EXPECT_LT(farthest, 52) << "straight";
}

/// A gate falls: there is no way any more, and who walks is told.
TEST_F(SpaceNavPool, ADoorThatClosesOnTheOnlyWayEndsTheCommand) {
  space::NavType how = type();
  how.crowd.obstacles = 1;
  begin(how);
  Door& door = **entities.create<Door>();
  ASSERT_TRUE(door.obstacle().set(kWide));
  door.obstacle().set_present(false);
  meadow->enter(door, 40, 50);
  Wolf& a = wolf();
  meadow->enter(a, 5, 50);
  ASSERT_TRUE(a.nav().go_to({80, 50, 0}));
  ASSERT_TRUE(until([&] { return a.at().x > 10; }));
  door.obstacle().set_present(true);
  ASSERT_TRUE(until([&] { return !ends.empty(); }));
  EXPECT_EQ(ends[0].outcome, NavOutcome::unreachable);
  EXPECT_LT(a.at().x, 39);
}

}  // namespace
}  // namespace starbus::nodes::crowds::test
