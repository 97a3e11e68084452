/// How requests end: each end, once, whatever happens meanwhile.
#include <gtest/gtest.h>

#include "tests/nav/crowd/scene.hpp"

namespace starbus::nav::crowd::test {
namespace {

constexpr std::string_view kRooms =
    "...........#...........\n"
    "...........#...........\n"
    "...........#...........\n"
    ".......................\n"
    "...........#...........\n"
    "...........#...........\n"
    "...........#...........\n";

constexpr std::string_view kIsland =
    "..........#...\n"
    "..........#...\n"
    "..........#...\n";

Box cell(float x, float y) {
  return {{x, y, 0}, {x + 1, y + 1, 0}};
}

Report only(const Scene& scene) {
  EXPECT_EQ(scene.reports.size(), 1u);
  return scene.reports.empty() ? Report{} : scene.reports.front();
}

TEST(Ends, ArrivesAtAPlace) {
  Scene scene(kRooms);
  const WalkerId id = scene.add(1.5F, 1.5F, {.radius = 0.6F});
  ASSERT_TRUE(scene.crowd->go_to(id, scene.at(20.5F, 5.5F), {.version = 7}));
  ASSERT_TRUE(scene.until(1, 30));
  EXPECT_EQ(only(scene), (Report{id, 7, End::arrived}));
  EXPECT_LE(scene.distance(id, 20.5F, 5.5F), 0.3F) << "0 is half its radius";
  scene.run(3);
  EXPECT_EQ(scene.reports.size(), 1u) << "once";
  EXPECT_LE(scene.distance(id, 20.5F, 5.5F), 0.3F) << "and it stays there";
  EXPECT_EQ(scene.state(id).doing, Doing::idle);
}

TEST(Ends, StopsWithinTheDistanceAndNotBefore) {
  Scene scene(field(40));
  const WalkerId id = scene.add(2.5F, 2.5F);
  ASSERT_TRUE(scene.crowd->go_to(id, scene.at(30.5F, 2.5F), {.distance = 5}));
  ASSERT_TRUE(scene.until(1, 30));
  EXPECT_LE(scene.distance(id, 30.5F, 2.5F), 5);
  scene.run(2);
  EXPECT_GT(scene.distance(id, 30.5F, 2.5F), 4) << "it brakes in time";
}

TEST(Ends, AGoalWithoutAWayIsUnreachable) {
  Scene scene(kIsland);
  const WalkerId id = scene.add(1.5F, 1.5F);
  const Vec before = scene.where(id);
  ASSERT_TRUE(scene.crowd->go_to(id, scene.at(12.5F, 1.5F), {.version = 3}));
  scene.step();
  EXPECT_EQ(only(scene), (Report{id, 3, End::unreachable}));
  EXPECT_EQ(scene.where(id), before);
  EXPECT_EQ(scene.crowd->counts().nodes, 0u) << "known without a search";
}

TEST(Ends, PartialGoesAsNearAsItCan) {
  Scene scene(kIsland);
  const WalkerId id = scene.add(1.5F, 1.5F);
  ASSERT_TRUE(scene.crowd->go_to(id, scene.at(12.5F, 1.5F), {.version = 4, .partial = true}));
  ASSERT_TRUE(scene.until(1, 30));
  EXPECT_EQ(only(scene), (Report{id, 4, End::partial}));
  EXPECT_LE(scene.distance(id, 9.5F, 1.5F), 0.5F) << "before the wall";
}

TEST(Ends, WhoIsStuckGivesUp) {
  // A passive one stands in a corridor of one cell.
  Scene scene("....................\n", {.stuck_time = 1});
  const WalkerId id = scene.add(2.5F, 0.5F);
  scene.add(10.5F, 0.5F, {.radius = 0.5F, .passive = true});
  ASSERT_TRUE(scene.crowd->go_to(id, scene.at(18.5F, 0.5F), {.version = 5}));
  ASSERT_TRUE(scene.until(1, 30));
  EXPECT_EQ(only(scene), (Report{id, 5, End::partial, true}));
}

TEST(Ends, ApproachStopsAtItsDistance) {
  Scene scene(kRooms);
  const WalkerId target = scene.add(20.5F, 5.5F);
  const WalkerId id = scene.add(1.5F, 1.5F);
  ASSERT_TRUE(scene.crowd->approach(id, target, {.version = 9, .distance = 2}));
  ASSERT_TRUE(scene.until(1, 30));
  EXPECT_EQ(only(scene), (Report{id, 9, End::arrived}));
  EXPECT_LE(scene.distance(id, target), 2);
  EXPECT_GT(scene.distance(id, target), 1.5F);
}

TEST(Ends, ApproachWithoutADistanceTouches) {
  Scene scene(field(20));
  const WalkerId target = scene.add(15.5F, 5.5F);
  const WalkerId id = scene.add(1.5F, 1.5F);
  ASSERT_TRUE(scene.crowd->approach(id, target, {}));
  ASSERT_TRUE(scene.until(1, 30));
  EXPECT_EQ(only(scene).end, End::arrived);
  EXPECT_GE(scene.distance(id, target), 0.8F * 0.95F);
  EXPECT_LE(scene.distance(id, target), 0.8F * 1.15F);
}

TEST(Ends, ApproachCatchesOneWhoWalks) {
  Scene scene(field(100));
  const WalkerId hare = scene.add(20.5F, 50.5F, {.speed = 2});
  const WalkerId hound = scene.add(5.5F, 50.5F, {.speed = 4});
  ASSERT_TRUE(scene.crowd->go_to(hare, scene.at(90.5F, 50.5F), {.version = 1}));
  ASSERT_TRUE(scene.crowd->approach(hound, hare, {.version = 2, .distance = 1.5F}));
  ASSERT_TRUE(scene.until(1, 30));
  EXPECT_EQ(only(scene), (Report{hound, 2, End::arrived}));
}

TEST(Ends, FollowWaitsAndGoesOn) {
  Scene scene(field(60));
  const WalkerId leader = scene.add(20.5F, 20.5F, {.radius = 0.5F, .passive = true});
  const WalkerId id = scene.add(5.5F, 20.5F, {.radius = 0.5F});
  ASSERT_TRUE(scene.crowd->follow(id, leader, {.version = 1, .distance = 2}));
  scene.run(10);
  EXPECT_EQ(scene.state(id).doing, Doing::waiting);
  EXPECT_LE(scene.distance(id, leader), 2);
  const Vec at = scene.where(id);
  const auto lead = [&](float ahead) {
    ASSERT_TRUE(scene.crowd->move(leader, scene.at(at.x + ahead, at.y), {}));
  };
  lead(2.9F);
  scene.run(1);
  EXPECT_EQ(scene.state(id).doing, Doing::waiting) << "within both radii more";
  EXPECT_EQ(scene.where(id), at);
  lead(3.1F);
  scene.step();
  scene.step();
  EXPECT_EQ(scene.state(id).doing, Doing::walking);
  scene.run(5);
  EXPECT_EQ(scene.state(id).doing, Doing::waiting);
  EXPECT_TRUE(scene.reports.empty()) << "it has no end of its own";
  ASSERT_TRUE(*scene.crowd->cancel(id));
  scene.step();
  EXPECT_EQ(only(scene), (Report{id, 1, End::cancelled}));
}

TEST(Ends, AFollowerIsNotTakenInByAPlaceWithoutAWay) {
  Scene scene(kIsland);
  const WalkerId leader = scene.add(12.5F, 1.5F, {.passive = true});
  const WalkerId id = scene.add(1.5F, 1.5F);
  ASSERT_TRUE(scene.crowd->follow(id, leader, {.distance = 1, .partial = true}));
  scene.run(10);
  EXPECT_EQ(scene.state(id).doing, Doing::waiting);
  EXPECT_LE(scene.distance(id, 9.5F, 1.5F), 0.5F);
  EXPECT_TRUE(scene.reports.empty());
  ASSERT_TRUE(scene.crowd->move(leader, scene.at(0.5F, 1.5F), {}));
  scene.run(10);
  EXPECT_LE(scene.distance(id, leader), 1.0F);
  ASSERT_TRUE(scene.crowd->follow(id, leader, {.version = 2, .distance = 1}));
  ASSERT_TRUE(scene.crowd->move(leader, scene.at(12.5F, 1.5F), {}));
  scene.run(1);
  ASSERT_EQ(scene.reports.size(), 2u);
  EXPECT_EQ(scene.reports.back(), (Report{id, 2, End::unreachable}));
}

// -- Races

TEST(Races, TheTargetVanishesWhileAWayIsSearched) {
  // So few nodes that the search takes many steps.
  Scene scene(kRooms, {.algorithm = Algorithm::dijkstra, .nodes_per_step = 20});
  const WalkerId target = scene.add(20.5F, 5.5F);
  const WalkerId id = scene.add(1.5F, 1.5F);
  ASSERT_TRUE(scene.crowd->approach(id, target, {.version = 3}));
  scene.step();
  EXPECT_EQ(scene.state(id).doing, Doing::planning);
  ASSERT_TRUE(scene.crowd->remove(target));
  const WalkerId other = scene.add(20.5F, 5.5F);
  EXPECT_EQ(other.slot, target.slot) << "the slot has another walker";
  scene.step();
  EXPECT_EQ(only(scene), (Report{id, 3, End::target_lost}));
  scene.run(5);
  EXPECT_EQ(scene.where(id), (Vec{1.5F, 1.5F})) << "what was found for it moves nobody";
  EXPECT_EQ(scene.crowd->counts().dropped, 1u);
}

TEST(Races, ANewRequestEndsTheOldOneAndItsSearch) {
  Scene scene(kRooms, {.algorithm = Algorithm::dijkstra, .nodes_per_step = 20});
  const WalkerId id = scene.add(1.5F, 1.5F);
  ASSERT_TRUE(scene.crowd->go_to(id, scene.at(20.5F, 5.5F), {.version = 1}));
  scene.step();
  ASSERT_TRUE(scene.crowd->go_to(id, scene.at(1.5F, 5.5F), {.version = 2}));
  ASSERT_TRUE(scene.until(2, 30));
  ASSERT_EQ(scene.reports.size(), 2u);
  EXPECT_EQ(scene.reports[0], (Report{id, 1, End::cancelled}));
  EXPECT_EQ(scene.reports[1], (Report{id, 2, End::arrived}));
  EXPECT_LT(scene.where(id).x, 4) << "it never went for the first one";
}

TEST(Races, CancelAfterTheArrivalChangesNothing) {
  Scene scene(field(20));
  const WalkerId id = scene.add(1.5F, 1.5F);
  ASSERT_TRUE(scene.crowd->go_to(id, scene.at(1.5F, 1.5F), {.version = 6}));
  ASSERT_TRUE(scene.crowd->step(kTick));  // it has arrived; nobody has taken the report
  EXPECT_FALSE(*scene.crowd->cancel(id));
  scene.step();
  EXPECT_EQ(only(scene), (Report{id, 6, End::arrived}));
}

TEST(Races, CancelBeforeTheStepOfTheArrivalWins) {
  Scene scene(field(20));
  const WalkerId id = scene.add(1.5F, 1.5F);
  ASSERT_TRUE(scene.crowd->go_to(id, scene.at(1.5F, 1.5F), {.version = 6}));
  EXPECT_TRUE(*scene.crowd->cancel(id));
  EXPECT_FALSE(*scene.crowd->cancel(id));
  scene.run(1);
  EXPECT_EQ(only(scene), (Report{id, 6, End::cancelled}));
}

TEST(Races, ADoorThatClosesOnTheWayMakesItUnreachable) {
  Scene scene(kRooms);
  const WalkerId id = scene.add(1.5F, 3.5F);
  ASSERT_TRUE(scene.crowd->go_to(id, scene.at(20.5F, 3.5F), {.version = 2}));
  scene.run(1);
  ASSERT_EQ(scene.state(id).doing, Doing::walking);
  ASSERT_TRUE(scene.ground->add_obstacle({.box = cell(11, 3)}));
  scene.run(2);
  EXPECT_EQ(only(scene), (Report{id, 2, End::unreachable}));
  EXPECT_LT(scene.where(id).x, 11);
}

TEST(Races, ADoorThatClosesLeavesTheOtherWay) {
  Scene scene(
      "...........#...........\n"
      ".......................\n"
      "...........#...........\n"
      "...........#...........\n"
      ".......................\n"
      "...........#...........\n");
  const WalkerId id = scene.add(8.5F, 1.5F);
  ASSERT_TRUE(scene.crowd->go_to(id, scene.at(20.5F, 1.5F), {.version = 2}));
  scene.run(0.5F);
  ASSERT_TRUE(scene.ground->add_obstacle({.box = cell(11, 1)}));
  bool below = false;
  for (int i = 0; i < 200 && scene.reports.empty(); ++i) {
    scene.step();
    below = below || scene.where(id).y > 4;
  }
  EXPECT_EQ(only(scene), (Report{id, 2, End::arrived}));
  EXPECT_TRUE(below);
}

TEST(Races, AChangeWhileAWayIsSearchedBeginsItAgain) {
  Scene scene(kRooms, {.algorithm = Algorithm::dijkstra, .nodes_per_step = 40});
  const WalkerId id = scene.add(1.5F, 1.5F);
  ASSERT_TRUE(scene.crowd->go_to(id, scene.at(20.5F, 5.5F), {.version = 2}));
  scene.step();
  ASSERT_TRUE(scene.ground->add_obstacle({.box = cell(0, 6)}));
  ASSERT_TRUE(scene.until(1, 30));
  EXPECT_EQ(only(scene), (Report{id, 2, End::arrived}));
  EXPECT_GE(scene.crowd->counts().searches, 2u);
}

TEST(Races, GroundThatGoesTakesNobodyAlong) {
  Scene scene(field(20));
  const WalkerId id = scene.add(5.5F, 5.5F);
  ASSERT_TRUE(scene.ground->add_obstacle({.box = {{4, 4, 0}, {7, 7, 0}}}));
  scene.step();
  EXPECT_TRUE(scene.ground->reachable(scene.state(id).place, scene.at(1.5F, 1.5F), scene.agent));
  EXPECT_EQ(scene.crowd->counts().snapped, 1u);
  ASSERT_EQ(scene.crowd->moved().size(), 1u);
  EXPECT_EQ(scene.crowd->moved()[0], id);
}

TEST(Races, ATeleportEndsTheRequestAndIsNotUndone) {
  Scene scene(kRooms, {.algorithm = Algorithm::dijkstra, .nodes_per_step = 20});
  const WalkerId id = scene.add(1.5F, 1.5F);
  ASSERT_TRUE(scene.crowd->go_to(id, scene.at(20.5F, 5.5F), {.version = 8}));
  scene.step();
  ASSERT_TRUE(scene.crowd->teleport(id, scene.at(3.5F, 5.5F)));
  scene.run(5);
  EXPECT_EQ(only(scene), (Report{id, 8, End::cancelled}));
  EXPECT_EQ(scene.where(id), (Vec{3.5F, 5.5F}));
}

TEST(Races, ATargetThatIsTeleportedIsFollowed) {
  Scene scene(kRooms);
  const WalkerId target = scene.add(3.5F, 1.5F, {.passive = true});
  const WalkerId id = scene.add(1.5F, 1.5F);
  ASSERT_TRUE(scene.crowd->follow(id, target, {.distance = 1.5F}));
  scene.run(2);
  ASSERT_TRUE(scene.crowd->teleport(target, scene.at(20.5F, 5.5F)));
  scene.run(15);
  EXPECT_LE(scene.distance(id, target), 1.5F);
}

TEST(Races, RemovingAWalkerEndsItsRequest) {
  Scene scene(field(20));
  const WalkerId id = scene.add(1.5F, 1.5F);
  ASSERT_TRUE(scene.crowd->go_to(id, scene.at(9.5F, 9.5F), {.version = 8}));
  ASSERT_TRUE(scene.crowd->remove(id));
  scene.step();
  EXPECT_EQ(only(scene), (Report{id, 8, End::cancelled}));
  EXPECT_EQ(scene.crowd->remove(id).error(), Errc::unknown_walker);
  EXPECT_EQ(scene.crowd->go_to(id, scene.at(9.5F, 9.5F), {}).error(), Errc::unknown_walker);
  EXPECT_EQ(scene.crowd->state(id).error(), Errc::unknown_walker);
}

}  // namespace
}  // namespace starbus::nav::crowd::test
