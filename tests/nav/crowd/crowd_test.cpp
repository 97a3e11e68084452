/// How a crowd goes about it: fair turns, floors, priorities, walls, links, and the same bits
/// again.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "tests/nav/crowd/scene.hpp"
#include "tests/nav/reference.hpp"

namespace starbus::nav::crowd::test {
namespace {

using grid::test::Chance;

TEST(Turns, NoStepExpandsMoreThanItsBudget) {
  Chance chance(81);
  Scene scene(grid::test::rooms(chance, 120, 120),
              {.algorithm = Algorithm::a_star, .nodes_per_step = 700, .nodes_per_turn = 50});
  const grid::Layer& layer = *scene.ground->layer(scene.agent);
  std::vector<WalkerId> ids;
  for (int i = 0; i < 60; ++i) {
    const Place from = scene.ground->place(grid::test::random_place(chance, layer));
    const WalkerId id = *scene.crowd->add({.agent = scene.agent}, from);
    ids.push_back(id);
    (void)scene.crowd->go_to(id, scene.ground->place(grid::test::random_place(chance, layer)), {});
  }
  std::uint64_t before = 0;
  std::vector<bool> served(ids.size());
  for (int i = 0; i < 400; ++i) {
    scene.step();
    const std::uint64_t now = scene.crowd->counts().nodes;
    ASSERT_LE(now - before, 700u);
    before = now;
    for (std::size_t k = 0; k < ids.size(); ++k) {
      if (scene.state(ids[k]).doing != Doing::planning) served[k] = true;
    }
  }
  EXPECT_EQ(std::ranges::count(served, false), 0) << "all have been served";
}

// One long search and seven short ones: the short ones do not wait for it.
TEST(Turns, ALongSearchDoesNotHoldUpShortOnes) {
  Scene scene(field(200), {.algorithm = Algorithm::dijkstra,
                           .searches = 2,
                           .nodes_per_step = 400,
                           .nodes_per_turn = 100});
  const WalkerId far = scene.add(1.5F, 1.5F);
  ASSERT_TRUE(scene.crowd->go_to(far, scene.at(198.5F, 198.5F), {}));
  std::vector<WalkerId> near;
  for (int i = 0; i < 7; ++i) {
    const auto y = 20 + static_cast<float>(i) * 20;
    near.push_back(scene.add(100.5F, y));
    ASSERT_TRUE(scene.crowd->go_to(near.back(), scene.at(106.5F, y), {}));
  }
  for (int i = 0; i < 8; ++i) scene.step();
  for (const WalkerId id : near) EXPECT_NE(scene.state(id).doing, Doing::planning);
  EXPECT_EQ(scene.state(far).doing, Doing::planning);
  scene.run(12);
  EXPECT_EQ(scene.state(far).doing, Doing::walking);
}

TEST(Turns, WhoHasWaitedLongestIsNext) {
  Scene scene(field(60), {.algorithm = Algorithm::dijkstra,
                          .searches = 1,
                          .nodes_per_step = 500,
                          .nodes_per_turn = 500});
  std::vector<WalkerId> ids;
  for (int i = 0; i < 6; ++i) {
    ids.push_back(scene.add(5.5F, 5.5F + static_cast<float>(i) * 5));
    ASSERT_TRUE(
        scene.crowd->go_to(ids.back(), scene.at(25.5F, 5.5F + static_cast<float>(i) * 5), {}));
  }
  std::size_t served = 0;
  for (int i = 0; i < 60; ++i) {
    scene.step();
    while (served < ids.size() && scene.state(ids[served]).doing != Doing::planning) ++served;
    for (std::size_t k = served; k < ids.size(); ++k) {
      ASSERT_EQ(scene.state(ids[k]).doing, Doing::planning) << "not before those who came first";
    }
  }
  EXPECT_EQ(served, ids.size());
}

TEST(Turns, ASearchEndsAtItsMostNodesWithWhatItHas) {
  Scene scene(field(100), {.algorithm = Algorithm::a_star, .nodes_per_way = 20});
  const WalkerId id = scene.add(50.5F, 50.5F);
  ASSERT_TRUE(scene.crowd->go_to(id, scene.at(98.5F, 50.5F), {.version = 1}));
  ASSERT_TRUE(scene.until(1, 60));
  EXPECT_EQ(scene.reports[0].end, End::partial);
  EXPECT_LE(scene.crowd->counts().nodes, 20u);
  EXPECT_GT(scene.where(id).x, 65) << "towards the goal, as far as was seen";
}

// A target that circles 50 m away: its way is looked for at most once a second.
TEST(Chases, AreNotPlannedAgainAllTheTime) {
  Scene scene(field(200));
  const WalkerId id = scene.add(100.5F, 100.5F, {.speed = 0.01F});
  const WalkerId target = scene.add(150.5F, 100.5F, {.passive = true});
  ASSERT_TRUE(scene.crowd->approach(id, target, {}));
  constexpr Vec kRound[] = {{50, 0},   {46, 19},  {35, 35},  {19, 46}, {0, 50},
                            {-19, 46}, {-35, 35}, {-46, 19}, {-50, 0}};
  for (int second = 0; second < 9; ++second) {
    const Vec at = Vec{100.5F, 100.5F} + kRound[second];
    ASSERT_TRUE(scene.crowd->move(target, scene.at(at.x, at.y), {}));
    scene.run(1);
  }
  EXPECT_GE(scene.crowd->counts().searches, 3u);
  EXPECT_LE(scene.crowd->counts().searches, 10u);
}

TEST(Chases, AWallHidesTheTarget) {
  Scene scene(
      "..........\n"
      "########..\n"
      "..........\n");
  const WalkerId id = scene.add(1.5F, 0.5F);
  const WalkerId target = scene.add(1.5F, 2.5F, {.passive = true});
  ASSERT_TRUE(scene.crowd->approach(id, target, {.version = 1}));
  scene.step();
  ASSERT_FALSE(scene.crowd->corners(id)->empty()) << "near, but it needs a way";
  ASSERT_TRUE(scene.until(1, 20));
  EXPECT_EQ(scene.reports[0], (Report{id, 1, End::arrived}));
}

TEST(Avoidance, TwoWhoMeetPassEachOther) {
  Scene scene(
      "............................\n............................\n"
      "............................\n");
  const WalkerId a = scene.add(2.5F, 1.5F);
  const WalkerId b = scene.add(25.5F, 1.5F);
  ASSERT_TRUE(scene.crowd->go_to(a, scene.at(25.5F, 1.5F), {.version = 1}));
  ASSERT_TRUE(scene.crowd->go_to(b, scene.at(2.5F, 1.5F), {.version = 2}));
  float nearest = 100;
  int turns = 0;
  float side = 0;
  for (int i = 0; i < 150 && scene.reports.size() < 2; ++i) {
    scene.step();
    nearest = std::min(nearest, scene.distance(a, b));
    const float now = scene.state(a).velocity.y;
    if (std::abs(now) > 0.05F) {
      if (now * side < 0) ++turns;
      side = now;
    }
  }
  EXPECT_EQ(scene.reports.size(), 2u);
  EXPECT_GE(nearest, 0.8F - 1e-3F);
  EXPECT_LE(turns, 3) << "they do not swerve again and again";
}

TEST(Avoidance, TheMoreImportantOneGoesOn) {
  Scene scene(field(40));
  const WalkerId king = scene.add(5.5F, 20.5F, {.priority = kMaxPriority});
  const WalkerId other = scene.add(35.5F, 20.5F);
  ASSERT_TRUE(scene.crowd->go_to(king, scene.at(35.5F, 20.5F), {}));
  ASSERT_TRUE(scene.crowd->go_to(other, scene.at(5.5F, 20.5F), {}));
  float king_aside = 0;
  float other_aside = 0;
  for (int i = 0; i < 60; ++i) {
    scene.step();
    king_aside = std::max(king_aside, std::abs(scene.where(king).y - 20.5F));
    other_aside = std::max(other_aside, std::abs(scene.where(other).y - 20.5F));
  }
  EXPECT_GT(other_aside, 0.6F);
  EXPECT_LT(king_aside, other_aside / 2);
}

TEST(Avoidance, APassiveOneIsAvoidedAndNotMoved) {
  Scene scene(field(40));
  const WalkerId player = scene.add(20.5F, 20.5F, {.passive = true});
  const WalkerId id = scene.add(5.5F, 20.5F);
  ASSERT_TRUE(scene.crowd->go_to(id, scene.at(35.5F, 20.5F), {.version = 1}));
  float nearest = 100;
  for (int i = 0; i < 150 && scene.reports.empty(); ++i) {
    scene.step();
    nearest = std::min(nearest, scene.distance(player, id));
  }
  ASSERT_EQ(scene.reports.size(), 1u);
  EXPECT_EQ(scene.reports[0].end, End::arrived);
  EXPECT_GE(nearest, 0.8F - 1e-3F);
  EXPECT_EQ(scene.where(player), (Vec{20.5F, 20.5F}));
  EXPECT_EQ(scene.crowd->go_to(player, scene.at(1.5F, 1.5F), {}).error(), Errc::bad_option);
  EXPECT_EQ(scene.crowd->move(id, scene.at(1.5F, 1.5F), {}).error(), Errc::bad_option);
}

TEST(Avoidance, OnesOnAnotherFloorAreNotInTheWay) {
  grid::Terrain terrain = field(40);
  terrain.levels.assign(40 * 40, 0);
  for (std::uint32_t i = 20 * 40; i < 40 * 40; ++i) terrain.levels[i] = 5;
  Agent climber;
  climber.climb = 10;
  Scene scene(std::move(terrain), {}, {}, climber);
  const WalkerId below = scene.add(5.5F, 19.7F);
  const WalkerId above = scene.add(20.5F, 20.2F, {.passive = true});
  ASSERT_TRUE(scene.crowd->go_to(below, scene.at(35.5F, 19.7F), {}));
  float nearest = 100;
  for (int i = 0; i < 120; ++i) {
    scene.step();
    nearest = std::min(nearest, scene.distance(below, above));
  }
  EXPECT_LT(nearest, 0.7F);
}

TEST(Avoidance, NobodyCrossesAWallInACorner) {
  Scene scene(
      "......\n"
      "......\n"
      "####..\n");
  const WalkerId id = scene.add(0.5F, 1.5F);
  for (int i = 0; i < 8; ++i) {  // others press it into the corner
    const WalkerId other = scene.add(3.5F, 0.5F);
    ASSERT_TRUE(scene.crowd->go_to(other, scene.at(0.5F, 1.5F), {}));
  }
  for (int i = 0; i < 100; ++i) {
    scene.step();
    const Place place = scene.state(id).place;
    ASSERT_TRUE(scene.ground->reachable(place, place, scene.agent));
    ASSERT_LT(place.point.y, 2);
    ASSERT_GE(place.point.x, 0);
  }
}

TEST(Links, AWalkerGoesOverThem) {
  Scene scene(
      ".....#.....\n"
      ".....#.....\n");
  ASSERT_TRUE(scene.ground->add_link(
      {.from = scene.at(4.5F, 0.5F), .to = scene.at(6.5F, 0.5F), .cost = 816}));
  const WalkerId id = scene.add(0.5F, 1.5F);
  ASSERT_TRUE(scene.crowd->go_to(id, scene.at(9.5F, 1.5F), {.version = 1}));
  bool crossed = false;
  for (int i = 0; i < 150 && scene.reports.empty(); ++i) {
    scene.step();
    crossed = crossed || scene.state(id).doing == Doing::on_link;
  }
  EXPECT_TRUE(crossed);
  ASSERT_EQ(scene.reports.size(), 1u);
  EXPECT_EQ(scene.reports[0], (Report{id, 1, End::arrived}));
}

TEST(Links, ARequestThatEndsOnALinkLeavesTheWalkerOnGround) {
  Scene scene(
      ".....#.....\n"
      ".....#.....\n");
  ASSERT_TRUE(scene.ground->add_link(
      {.from = scene.at(4.5F, 0.5F), .to = scene.at(6.5F, 0.5F), .cost = 816}));
  const WalkerId id = scene.add(3.5F, 0.5F);
  ASSERT_TRUE(scene.crowd->go_to(id, scene.at(9.5F, 1.5F), {.version = 1}));
  for (int i = 0; i < 50 && scene.state(id).doing != Doing::on_link; ++i) scene.step();
  ASSERT_TRUE(*scene.crowd->cancel(id));
  scene.run(3);
  const Place place = scene.state(id).place;
  EXPECT_TRUE(scene.ground->reachable(place, place, scene.agent));
  EXPECT_NEAR(place.point.x, 6.5F, 0.9F) << "it has landed";
  EXPECT_EQ(scene.state(id).doing, Doing::idle);
}

// 500 walkers, requests of all kinds, doors: all places and velocities, bit by bit.
std::uint64_t bits_of_a_run() {
  Chance chance(91);
  Scene scene(grid::test::rooms(chance, 100, 100), {.nodes_per_step = 2'000});
  const grid::Layer& layer = *scene.ground->layer(scene.agent);
  std::vector<WalkerId> ids;
  const auto somewhere = [&] {
    return scene.ground->place(grid::test::random_place(chance, layer));
  };
  for (int i = 0; i < 500; ++i) {
    ids.push_back(*scene.crowd->add({.agent = scene.agent, .passive = i % 50 == 0}, somewhere()));
  }
  const auto anyone = [&] { return ids[chance.below(500)]; };
  std::uint64_t sum = 14695981039346656037u;
  const auto mix = [&](float value) {
    sum = (sum ^ std::bit_cast<std::uint32_t>(value)) * 1099511628211u;
  };
  for (int step = 0; step < 100; ++step) {
    for (int i = 0; i < 20; ++i) {
      const Request request{.version = static_cast<std::uint32_t>(step), .partial = i % 2 == 0};
      if (i % 4 == 0) (void)scene.crowd->follow(anyone(), anyone(), request);
      if (i % 4 == 1) (void)scene.crowd->approach(anyone(), anyone(), request);
      (void)scene.crowd->go_to(anyone(), somewhere(), request);
    }
    if (step % 25 == 10) {
      const Point at = somewhere().point;
      EXPECT_TRUE(scene.ground->add_obstacle({.box = {at, {at.x + 1, at.y + 1, 0}}}));
    }
    scene.step();
    for (const WalkerId id : ids) {
      const WalkerState state = scene.state(id);
      mix(state.place.point.x);
      mix(state.place.point.y);
      mix(state.velocity.x);
      mix(state.velocity.y);
    }
  }
  for (const Report& report : scene.reports) {
    sum =
        (sum ^ (report.walker.slot * 8 + static_cast<std::uint32_t>(report.end))) * 1099511628211u;
  }
  return sum;
}

TEST(Repeats, ARunOfFiveHundredGivesTheSameBits) {
  const std::uint64_t once = bits_of_a_run();
  std::vector<std::unique_ptr<std::string>> elsewhere;  // other addresses, other old contents
  for (int i = 0; i < 1'000; ++i) {
    elsewhere.push_back(std::make_unique<std::string>(static_cast<std::size_t>(i) * 37, 'x'));
  }
  EXPECT_EQ(bits_of_a_run(), once);
}

}  // namespace
}  // namespace starbus::nav::crowd::test
