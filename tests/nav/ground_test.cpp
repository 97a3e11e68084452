/// A GridGround through the interface of all ground: places, rays, moves, doors, ways.
#include "nav/ground.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "nav/grid/grid_ground.hpp"
#include "tests/nav/reference.hpp"

namespace starbus::nav::grid::test {
namespace {

std::unique_ptr<GridGround> ground_of(std::string_view picture, const GridOptions& options = {}) {
  return *GridGround::create(*terrain_of(picture), options);
}

Box cells(float x, float y, float wide = 1, float high = 1) {
  return {{x, y, 0}, {x + wide, y + high, 0}};
}

// Two halls of 5 x 5 with a wall between them, and a door in it.
constexpr std::string_view kHalls =
    ".....#.....\n"
    ".....#.....\n"
    "...........\n"
    ".....#.....\n"
    ".....#.....\n";

class Halls : public testing::Test {
 protected:
  Place at(float x, float y) { return *ground->nearest({x, y, 0}, {}, agent); }
  Result<void> find(float x0, float y0, float x1, float y1, bool partial = false) {
    PathRequest request;
    request.from = at(x0, y0);
    request.to = *ground->nearest({x1, y1, 0}, {}, agent);
    request.agent = agent;
    request.partial = partial;
    return search->find(request, path);
  }

  std::unique_ptr<GridGround> ground = ground_of(kHalls);
  AgentId agent = *ground->add_agent({});
  std::unique_ptr<Search> search = ground->make_search();
  Path path;
};

TEST_F(Halls, AWayBeginsAndEndsWhereAsked) {
  ASSERT_TRUE(find(0.25F, 0.25F, 10.75F, 0.5F));
  EXPECT_TRUE(path.complete);
  EXPECT_EQ(path.points.front(), (Point{0.25F, 0.25F, 0}));
  EXPECT_EQ(path.points.back(), (Point{10.75F, 0.5F, 0}));
  EXPECT_EQ(path.version, ground->version());
  // Every leg is free.
  for (std::size_t i = 1; i < path.points.size(); ++i) {
    const Place from = at(path.points[i - 1].x, path.points[i - 1].y);
    EXPECT_FALSE(ground->raycast(from, path.points[i], agent)->hit) << i;
  }
  EXPECT_LE(path.points.size(), 5u) << "around two corners at most";
}

TEST_F(Halls, AStraightLineOfSightGivesTwoPoints) {
  ASSERT_TRUE(find(0.5F, 2.5F, 10.5F, 2.5F));
  EXPECT_EQ(path.points.size(), 2u);
  ASSERT_TRUE(find(1.25F, 1.5F, 1.75F, 1.5F));
  EXPECT_EQ(path.points.size(), 2u) << "within one cell";
}

TEST_F(Halls, ADoorOpensAndCloses) {
  const std::uint64_t version = ground->version();
  const ObstacleId door = *ground->add_obstacle({.box = cells(5, 2)});
  EXPECT_GT(ground->version(), version);
  const Place left = at(0, 0);
  const Place right = at(9, 0);
  EXPECT_FALSE(ground->reachable(left, right, agent));
  EXPECT_EQ(find(0, 0, 9, 0).error(), Errc::unreachable);
  ASSERT_TRUE(find(0.5F, 0.5F, 9, 2.5F, true));
  EXPECT_FALSE(path.complete);
  EXPECT_EQ(path.points.back(), (Point{4.5F, 2.5F, 0})) << "before the door";
  ASSERT_TRUE(ground->set_present(door, false));
  EXPECT_TRUE(ground->reachable(left, right, agent));
  EXPECT_TRUE(find(0, 0, 9, 0));
  const std::uint64_t open = ground->version();
  ASSERT_TRUE(ground->set_present(door, false));
  EXPECT_EQ(ground->version(), open) << "nothing has changed";
  ASSERT_TRUE(ground->set_present(door, true));
  ASSERT_TRUE(ground->remove_obstacle(door));
  EXPECT_TRUE(ground->reachable(left, right, agent));
  EXPECT_EQ(ground->remove_obstacle(door).error(), Errc::unknown_obstacle);
  const ObstacleId next = *ground->add_obstacle({.box = cells(0, 0)});
  EXPECT_EQ(next.index(), door.index());
  EXPECT_EQ(ground->set_present(door, true).error(), Errc::unknown_obstacle)
      << "an id is not taken for its successor";
}

TEST_F(Halls, ObstaclesMayOverlap) {
  const ObstacleId one = *ground->add_obstacle({.box = cells(4, 2, 2)});
  const ObstacleId two = *ground->add_obstacle({.box = cells(5, 2, 2)});
  ASSERT_TRUE(ground->remove_obstacle(one));
  EXPECT_FALSE(ground->reachable(at(0, 0), at(9, 0), agent)) << "the other one still stands there";
  ASSERT_TRUE(ground->set_area(cells(5, 2), 3));
  EXPECT_EQ(ground->area_at(ground->place({5, 2})), kWall);
  ASSERT_TRUE(ground->remove_obstacle(two));
  EXPECT_EQ(ground->area_at(ground->place({5, 2})), 3) << "what was set beneath";
  EXPECT_TRUE(ground->reachable(at(0, 0), at(9, 0), agent));
}

TEST_F(Halls, ADoorLetsThoseThroughWhoHaveTheKey) {
  GridOptions options;
  constexpr Area kGuildDoor = 7;
  options.areas.flags[kGuildDoor] = 2;
  auto guild = ground_of(kHalls, options);
  Agent stranger;
  stranger.include = 1;
  Agent member;
  member.include = 1 | 2;
  const AgentId a = *guild->add_agent(stranger);
  const AgentId b = *guild->add_agent(member);
  EXPECT_NE(a, b);
  EXPECT_EQ(*guild->add_agent(stranger), a) << "known already";
  ASSERT_TRUE(guild->add_obstacle({.box = cells(5, 1, 1, 2), .area = kGuildDoor}));
  EXPECT_EQ(guild->area_at(guild->place({5, 1})), kWall) << "a wall stays one";
  EXPECT_FALSE(guild->reachable(guild->place({0, 0}), guild->place({9, 0}), a));
  EXPECT_TRUE(guild->reachable(guild->place({0, 0}), guild->place({9, 0}), b));
}

TEST_F(Halls, WideAgentsKeepFromWalls) {
  Agent wide;
  wide.radius = 1.2F;  // more than half a cell: one cell is kept
  const AgentId ogre = *ground->add_agent(wide);
  EXPECT_EQ(ground->nearest({0.5F, 0.5F, 0}, {}, ogre).error(), Errc::bad_start);
  const Place beside = *ground->nearest({0.5F, 0.5F, 0}, {2, 2, 2}, ogre);
  EXPECT_EQ(*ground->cell(beside), (Cell{1, 1}));
  EXPECT_FALSE(ground->reachable(ground->place({1, 1}), ground->place({9, 1}), ogre));
  EXPECT_TRUE(ground->reachable(ground->place({1, 1}), ground->place({3, 3}), ogre));
}

TEST_F(Halls, NearestTakesTheNearestPointOfACell) {
  const Place here = at(3.25F, 4.75F);
  EXPECT_EQ(here.point, (Point{3.25F, 4.75F, 0}));
  const Place wall = *ground->nearest({5.25F, 0.5F, 0}, {1, 1, 1}, agent);
  EXPECT_EQ(*ground->cell(wall), (Cell{4, 0}));
  EXPECT_NEAR(wall.point.x, 5, 0.01);
  EXPECT_LT(wall.point.x, 5);
  const Place outside = *ground->nearest({-2, 1.5F, 0}, {2, 2, 2}, agent);
  EXPECT_EQ(*ground->cell(outside), (Cell{0, 1}));
  EXPECT_EQ(ground->nearest({-2, 1.5F, 0}, {1, 1, 1}, agent).error(), Errc::bad_start);
  EXPECT_EQ(ground->nearest({std::nanf(""), 0, 0}, {}, agent).error(), Errc::bad_position);
}

TEST_F(Halls, ARayEndsBeforeTheWall) {
  const Ray free = *ground->raycast(at(0.5F, 2.5F), {10.5F, 2.5F, 0}, agent);
  EXPECT_FALSE(free.hit);
  EXPECT_EQ(free.end.point, (Point{10.5F, 2.5F, 0}));
  const Ray wall = *ground->raycast(at(0.5F, 0.5F), {10.5F, 0.5F, 0}, agent);
  EXPECT_TRUE(wall.hit);
  EXPECT_EQ(wall.normal, (Point{-1, 0, 0}));
  EXPECT_NEAR(wall.end.point.x, 5, 0.01);
  EXPECT_EQ(*ground->cell(wall.end), (Cell{4, 0}));
  const Ray border = *ground->raycast(at(1.5F, 1.5F), {1.5F, -1e30F, 0}, agent);
  EXPECT_TRUE(border.hit);
  EXPECT_EQ(border.normal, (Point{0, 1, 0}));
}

TEST_F(Halls, AMoveSlidesAlongWalls) {
  const Place end = *ground->move_along_surface(at(4.5F, 0.5F), {5.5F, 1.5F, 0}, agent);
  EXPECT_EQ(*ground->cell(end), (Cell{4, 1}));
  EXPECT_NEAR(end.point.y, 1.5, 0.01);
  const Place through = *ground->move_along_surface(at(4.5F, 2.25F), {6.5F, 2.75F, 0}, agent);
  EXPECT_EQ(through.point, (Point{6.5F, 2.75F, 0}));
}

// Whatever the move, it ends where the agent may stand.
TEST(Ground, NoMoveLeavesTheGround) {
  Chance chance(99);
  auto ground = *GridGround::create(random_terrain(chance, 40, 40, 30), {{-7, 3, 0}, 0.5F});
  const AgentId agent = *ground->add_agent({});
  Place place = *ground->random_point(agent, 1);
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 20'000; ++i) {
    const Point to{place.point.x + static_cast<float>(chance.below(301)) / 100 - 1.5F,
                   place.point.y + static_cast<float>(chance.below(301)) / 100 - 1.5F, 0};
    const Place before = place;
    place = *ground->move_along_surface(place, to, agent);
    ASSERT_TRUE(ground->layer(agent)->passable(*ground->cell(place)));
    ASSERT_TRUE(ground->reachable(before, place, agent));
    // Its point lies in the cell that it names.
    ASSERT_EQ(ground->nearest(place.point, {}, agent)->piece, place.piece);
    seen.insert(place.piece);
  }
  EXPECT_GT(seen.size(), 100u);
}

TEST(Ground, RandomPointsAreSpreadEvenlyAndRepeat) {
  auto ground = ground_of(
      "..#\n"
      "#.#\n"
      "...\n");
  const AgentId agent = *ground->add_agent({});
  std::map<std::uint64_t, int> counts;
  for (std::uint64_t seed = 0; seed < 6'000; ++seed) {
    const Place one = *ground->random_point(agent, seed);
    EXPECT_EQ(one, *ground->random_point(agent, seed));
    ++counts[one.piece];
  }
  EXPECT_EQ(counts.size(), 6u);
  for (const auto& [piece, count] : counts) EXPECT_NEAR(count, 1'000, 150) << piece;
}

TEST(Ground, RandomPointsNearAPlaceCanBeReached) {
  auto ground = ground_of(
      "...#.\n"
      "...#.\n"
      "...#.\n");
  const AgentId agent = *ground->add_agent({});
  std::set<std::uint64_t> seen;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const Place one = *ground->random_point_near(ground->place({2, 1}), 2, agent, seed);
    EXPECT_TRUE(ground->reachable(ground->place({2, 1}), one, agent));
    seen.insert(one.piece);
  }
  EXPECT_EQ(seen.size(), 7u) << "nine cells without the two corners farther than 2 m";
}

TEST(Ground, HeightsAreInTheWayOfThoseWhoCannotClimb) {
  Terrain terrain = plain(3, 1);
  terrain.levels = {0, 0.4F, 2};
  auto ground = *GridGround::create(terrain, {});
  Agent walker;
  walker.climb = 0.5F;
  Agent climber;
  climber.climb = 2;
  const AgentId a = *ground->add_agent(walker);
  const AgentId b = *ground->add_agent(climber);
  EXPECT_TRUE(ground->reachable(ground->place({0, 0}), ground->place({1, 0}), a));
  EXPECT_FALSE(ground->reachable(ground->place({0, 0}), ground->place({2, 0}), a));
  EXPECT_TRUE(ground->reachable(ground->place({0, 0}), ground->place({2, 0}), b));
  EXPECT_EQ(ground->place({2, 0}).point.z, 2);
  EXPECT_EQ(ground->nearest({2.5F, 0.5F, 0}, {0, 0, 1}, b).error(), Errc::bad_start);
  EXPECT_TRUE(ground->nearest({2.5F, 0.5F, 1.5F}, {0, 0, 1}, b));
}

TEST(Ground, AWayAvoidsDearGroundAndKeepsToRoads) {
  auto ground = ground_of(
      "222222222\n"
      "222222222\n"
      "1.......1\n"
      "222222222\n");
  Agent agent;
  agent.costs[2] = 10;
  const AgentId id = *ground->add_agent(agent);
  auto search = ground->make_search();
  Path path;
  PathRequest request{.from = ground->place({0, 0}), .to = ground->place({8, 0}), .agent = id};
  ASSERT_TRUE(search->find(request, path));
  request.smoothing = Smoothing::none;
  Path cells_of_it;
  ASSERT_TRUE(search->find(request, cells_of_it));
  EXPECT_EQ(path.cost, cells_of_it.cost);
  EXPECT_LT(path.points.size(), cells_of_it.points.size());
  bool on_road = false;
  for (const Point& one : path.points) on_road = on_road || (one.y > 2 && one.y < 3);
  EXPECT_TRUE(on_road) << "no line over dear ground replaces the road";
  request.algorithm = Algorithm::jps;
  EXPECT_EQ(search->begin(request).error(), Errc::not_uniform);
  EXPECT_EQ(ground->prepare(id, Algorithm::jps_plus).error(), Errc::not_uniform);
}

TEST(Ground, RefusesWhatItDoesNotKnow) {
  auto ground = ground_of("..\n..\n");
  const AgentId agent = *ground->add_agent({});
  auto search = ground->make_search();
  Path path;
  EXPECT_EQ(search->advance(1).error(), Errc::not_ready);
  EXPECT_EQ(search->path(path).error(), Errc::not_ready);
  PathRequest request{.from = ground->place({0, 0}), .to = ground->place({1, 1}), .agent = {9}};
  EXPECT_EQ(search->begin(request).error(), Errc::unknown_agent);
  request.agent = agent;
  request.from.piece = 0;
  EXPECT_EQ(search->begin(request).error(), Errc::bad_start);
  request.from = ground->place({0, 0});
  request.to.piece = 5;
  EXPECT_EQ(search->begin(request).error(), Errc::bad_goal);
  request.to = ground->place({1, 1});
  request.weight = 99;
  EXPECT_EQ(search->begin(request).error(), Errc::bad_option);
  request.weight = 150;
  request.algorithm = Algorithm::jps;
  EXPECT_EQ(search->begin(request).error(), Errc::bad_option) << "a weight is for a_star";
  EXPECT_EQ(ground->prepare(agent, Algorithm::a_star).error(), Errc::bad_option);
  EXPECT_EQ(ground->prepare({}, Algorithm::jps_plus).error(), Errc::unknown_agent);
  EXPECT_EQ(ground->random_point({3}, 0).error(), Errc::unknown_agent);
  EXPECT_EQ(ground->raycast({}, {}, agent).error(), Errc::bad_start);
  EXPECT_EQ(ground->set_area({{INFINITY, 0, 0}, {}}, 1).error(), Errc::bad_position);
  Agent agent_without_sense;
  agent_without_sense.radius = -1;
  EXPECT_EQ(ground->add_agent(agent_without_sense).error(), Errc::bad_option);
  EXPECT_EQ(GridGround::create({}, {}).error(), Errc::bad_option);
  EXPECT_EQ(GridGround::create(plain(2, 2), {{}, 0}).error(), Errc::bad_option);
  Terrain short_of_one = plain(2, 2);
  short_of_one.areas.pop_back();
  EXPECT_EQ(GridGround::create(short_of_one, {}).error(), Errc::bad_option);
}

TEST(Ground, JpsPlusAnswersWhileItsTableIsOutOfDate) {
  auto ground = ground_of(kHalls);
  const AgentId agent = *ground->add_agent({});
  ASSERT_TRUE(*ground->prepare(agent, Algorithm::jps_plus));
  ASSERT_NE(ground->layer(agent)->jump_table(), nullptr);
  auto search = ground->make_search();
  Path path;
  PathRequest request{.from = ground->place({0, 0}),
                      .to = ground->place({10, 4}),
                      .agent = agent,
                      .algorithm = Algorithm::jps_plus};
  ASSERT_TRUE(search->find(request, path));
  const std::uint64_t cost = path.cost;
  ASSERT_TRUE(ground->add_obstacle({.box = cells(2, 1)}));
  EXPECT_EQ(ground->layer(agent)->jump_table(), nullptr);
  ASSERT_TRUE(search->find(request, path));
  EXPECT_GE(path.cost, cost);
  const std::uint64_t later = path.cost;
  ASSERT_TRUE(*ground->prepare(agent, Algorithm::jps_plus));
  ASSERT_TRUE(search->find(request, path));
  EXPECT_EQ(path.cost, later);
}

}  // namespace
}  // namespace starbus::nav::grid::test
