/// Obstacles, areas and links that come and go on a navmesh.
#include <gtest/gtest.h>

#include <cmath>

#include "nav/mesh/kind.hpp"
#include "tests/nav/mesh/world.hpp"
#include "tests/nav/reference.hpp"

namespace starbus::nav::mesh::test {
namespace {

using grid::test::Chance;

// Two halls, and a gap of 3 m between them.
World halls() {
  World world;
  world.floor(0, 0, 24, 12, 0).block(11.5F, 0, 12.5F, 4.5F, 0, 3);
  world.block(11.5F, 7.5F, 12.5F, 12, 0, 3);
  return world;
}

constexpr double kMetres = 0.001;
const Obstacle kDoor = {{{11.5F, 4.5F, 0}, {12.5F, 7.5F, 2}}, kWall};

class MeshChanges : public testing::Test {
 protected:
  std::unique_ptr<MeshGround> ground_ = ground_of(halls());
  AgentId agent_ = *ground_->add_agent({});

  Place left() const { return at(*ground_, agent_, {3, 6, 0}); }
  Place right() const { return at(*ground_, agent_, {21, 6, 0}); }
  bool joined(AgentId agent = {}) const {
    return ground_->reachable(left(), right(), agent ? agent : agent_);
  }
};

TEST_F(MeshChanges, ADoorClosesAndOpens) {
  const std::uint64_t before = ground_->version();
  ASSERT_TRUE(joined());
  Path path;
  const auto search = ground_->make_search();
  ASSERT_TRUE(search->find({.from = left(), .to = right(), .agent = agent_}, path));
  const auto points = path.points;
  const ObstacleId door = *ground_->add_obstacle(kDoor);
  EXPECT_FALSE(joined());
  EXPECT_GT(ground_->version(), before);
  EXPECT_EQ(search->find({.from = left(), .to = right(), .agent = agent_}, path).error(),
            Errc::unreachable);
  ASSERT_TRUE(ground_->set_present(door, false));
  EXPECT_TRUE(joined());
  ASSERT_TRUE(search->find({.from = left(), .to = right(), .agent = agent_}, path));
  EXPECT_EQ(path.points, points) << "the mesh is what it was";
  ASSERT_TRUE(ground_->set_present(door, true));
  EXPECT_FALSE(joined());
  ASSERT_TRUE(ground_->remove_obstacle(door));
  EXPECT_TRUE(joined());
  EXPECT_EQ(ground_->remove_obstacle(door).error(), Errc::unknown_obstacle);
  EXPECT_EQ(ground_->set_present(door, true).error(), Errc::unknown_obstacle);
  const ObstacleId next = *ground_->add_obstacle(kDoor);
  EXPECT_EQ(next.index(), door.index());
  EXPECT_NE(next, door);
}

TEST_F(MeshChanges, ADoorLetsThoseThroughWhoHaveTheKey) {
  constexpr Area kLocked = 9;
  Areas areas;
  areas.flags[kLocked] = 4;
  ground_ = ground_of(halls(), small_tiles(), {}, areas);
  Agent guest;
  guest.include = 1;
  Agent keeper;
  keeper.include = 1 | 4;
  agent_ = *ground_->add_agent(guest);
  const AgentId with_key = *ground_->add_agent(keeper);
  Obstacle door = kDoor;
  door.area = kLocked;
  ASSERT_TRUE(ground_->add_obstacle(door));
  EXPECT_FALSE(joined());
  EXPECT_TRUE(joined(with_key));
  Path path;
  ASSERT_TRUE(
      ground_->make_search()->find({.from = left(), .to = right(), .agent = with_key}, path));
  EXPECT_TRUE(path.complete);
  EXPECT_TRUE(ground_->raycast(left(), {21, 6, 0}, agent_)->hit);
  EXPECT_FALSE(ground_->raycast(left(), {21, 6, 0}, with_key)->hit);
}

TEST_F(MeshChanges, ObstaclesMayOverlapAndTheLowestAreaCounts) {
  const auto middle = [&] {
    const auto place = ground_->nearest({12, 6, 0}, {0, 0, 0}, agent_);
    return place ? ground_->area_at(*place) : kWall;
  };
  Obstacle fire = kDoor;
  fire.area = 7;
  const ObstacleId one = *ground_->add_obstacle(fire);
  EXPECT_EQ(middle(), 7);
  fire.area = 5;
  const ObstacleId other = *ground_->add_obstacle(fire);
  EXPECT_EQ(middle(), 5);
  const ObstacleId door = *ground_->add_obstacle(kDoor);
  EXPECT_EQ(middle(), kWall);
  ASSERT_TRUE(ground_->set_area({{0, 0, 0}, {24, 12, 0}}, 3));
  EXPECT_EQ(middle(), kWall);
  ASSERT_TRUE(ground_->remove_obstacle(door));
  EXPECT_EQ(middle(), 5);
  ASSERT_TRUE(ground_->remove_obstacle(other));
  EXPECT_EQ(middle(), 7);
  ASSERT_TRUE(ground_->remove_obstacle(one));
  EXPECT_EQ(middle(), 3) << "what was painted beneath";
  // Where there is no ground, none is painted.
  ASSERT_TRUE(ground_->set_area({{11, 0, 0}, {13, 3, 3}}, 2));
  EXPECT_FALSE(ground_->nearest({12, 2, 0}, {0, 0, 0}, agent_));
  // Ground that was closed comes back.
  ASSERT_TRUE(ground_->set_area(kDoor.box, kWall));
  EXPECT_FALSE(joined());
  ASSERT_TRUE(ground_->set_area({{8, 2, 0}, {16, 10, 0}}, kPlain));
  EXPECT_TRUE(joined());
}

TEST_F(MeshChanges, StaysAsFarFromObstaclesAsFromWalls) {
  const Obstacle crate = {{{5, 5, 0}, {7, 7, 1}}, kWall};
  ASSERT_TRUE(ground_->add_obstacle(crate));
  const float radius = ground_->layout().options.agent_radius;
  const double slack = 1.3 * 0.25;
  for (std::uint64_t seed = 0; seed < 3'000; ++seed) {
    const Point point = ground_->random_point(agent_, seed)->point;
    const double x = std::max(std::fabs(double{point.x} - 6) - 1, 0.0);
    const double y = std::max(std::fabs(double{point.y} - 6) - 1, 0.0);
    ASSERT_GE(std::max(x, y), radius - slack);
  }
}

TEST_F(MeshChanges, ObstaclesStandOnTheirStorey) {
  ground_ = ground_of(valley());
  agent_ = *ground_->add_agent({});
  const auto free = [&](float z) {
    return ground_->nearest({36, 7, z}, {0, 0, 0.5F}, agent_).has_value();
  };
  ASSERT_TRUE(free(0) && free(4));
  const ObstacleId below = *ground_->add_obstacle({{{35, 6, 0}, {37, 8, 1}}, kWall});
  EXPECT_FALSE(free(0));
  EXPECT_TRUE(free(4));
  ASSERT_TRUE(ground_->remove_obstacle(below));
  ASSERT_TRUE(ground_->add_obstacle({{{35, 6, 4}, {37, 8, 5}}, kWall}));
  EXPECT_TRUE(free(0));
  EXPECT_FALSE(free(4));
  // What hangs lower than an agent is high is in its way; what hangs higher is not.
  EXPECT_TRUE(ground_->nearest({5, 5, 0}, {0, 0, 0.5F}, agent_));
  const std::uint64_t version = ground_->version();
  ASSERT_TRUE(ground_->add_obstacle({{{4, 4, 2.5F}, {6, 6, 3}}, kWall}));
  EXPECT_EQ(ground_->version(), version) << "nobody notices";
  EXPECT_TRUE(ground_->nearest({5, 5, 0}, {0, 0, 0.5F}, agent_));
  ASSERT_TRUE(ground_->add_obstacle({{{4, 4, 1.5F}, {6, 6, 3}}, kWall}));
  EXPECT_FALSE(ground_->nearest({5, 5, 0}, {0, 0, 0.5F}, agent_));
}

// After any changes the mesh is as one on which what stands there was put at once.
TEST_F(MeshChanges, AreAsIfTheyWereMadeAtOnce) {
  Chance chance(11);
  const World world = valley();
  ground_ = ground_of(world);
  agent_ = *ground_->add_agent({});
  struct One {
    ObstacleId id;
    Obstacle of;
    bool present = true;
  };
  std::vector<One> all;
  const auto any_obstacle = [&] {
    const auto x = static_cast<float>(chance.below(46));
    const auto y = static_cast<float>(chance.below(30));
    const float z = chance.below(3) == 0 ? 4 : 0;
    const auto area = static_cast<Area>(chance.below(3));
    return Obstacle{{{x, y, z},
                     {x + 1 + static_cast<float>(chance.below(6)),
                      y + 1 + static_cast<float>(chance.below(4)), z + 1}},
                    area};
  };
  for (int step = 0; step < 40; ++step) {
    const std::uint32_t what = chance.below(4);
    if (all.empty() || what < 2) {
      const Obstacle of = any_obstacle();
      all.push_back({*ground_->add_obstacle(of), of});
    } else {
      const std::size_t at = chance.below(static_cast<std::uint32_t>(all.size()));
      if (what == 2) {
        all[at].present = !all[at].present;
        ASSERT_TRUE(ground_->set_present(all[at].id, all[at].present));
      } else {
        ASSERT_TRUE(ground_->remove_obstacle(all[at].id));
        all.erase(all.begin() + static_cast<std::ptrdiff_t>(at));
      }
    }
    if (step % 8 != 7) continue;
    const auto fresh = ground_of(world);
    const AgentId agent = *fresh->add_agent({});
    for (const One& one : all) {
      if (one.present) {
        ASSERT_TRUE(fresh->add_obstacle(one.of));
      }
    }
    ASSERT_EQ(fresh->tiles().count(), ground_->tiles().count());
    const auto search = ground_->make_search();
    const auto other = fresh->make_search();
    Path a;
    Path b;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      const Place from = *ground_->random_point(agent_, 2 * seed);
      const Place to = *ground_->random_point(agent_, 2 * seed + 1);
      const Place there = *fresh->random_point(agent, 2 * seed);
      const Place goal = *fresh->random_point(agent, 2 * seed + 1);
      ASSERT_EQ(from.point, there.point);
      ASSERT_EQ(ground_->reachable(from, to, agent_), fresh->reachable(there, goal, agent));
      const double least = least_cost(*ground_, agent_, from, to);
      ASSERT_EQ(std::isfinite(least), ground_->reachable(from, to, agent_));
      const bool found = search->find({.from = from, .to = to, .agent = agent_}, a).has_value();
      ASSERT_EQ(found, other->find({.from = there, .to = goal, .agent = agent}, b).has_value());
      if (!found) continue;
      ASSERT_NEAR(static_cast<double>(a.cost) * kMetres, least, 1e-3 + least * 2e-5);
      ASSERT_NEAR(static_cast<double>(a.cost), static_cast<double>(b.cost), 2);
    }
  }
}

TEST_F(MeshChanges, OldPlacesAreNoticedThroughThousandsOfRebuilds) {
  const Place old = at(*ground_, agent_, {11, 6, 0});
  const Place far = at(*ground_, agent_, {2, 2, 0});
  const ObstacleId door = *ground_->add_obstacle(kDoor);
  // More often than Detour has names for a tile.
  for (int i = 0; i < 1'100; ++i) {
    ASSERT_TRUE(ground_->set_present(door, i % 2 != 0));
    ASSERT_EQ(ground_->raycast(old, {3, 6, 0}, agent_).error(), Errc::bad_start);
    ASSERT_EQ(ground_->area_at(old), kWall);
  }
  EXPECT_EQ(ground_->make_search()->begin({.from = far, .to = old, .agent = agent_}).error(),
            Errc::bad_goal);
}

TEST_F(MeshChanges, EndSearchesThatWereBegunBefore) {
  const auto search = ground_->make_search();
  ASSERT_TRUE(search->begin({.from = left(), .to = right(), .agent = agent_}));
  const ObstacleId door = *ground_->add_obstacle(kDoor);
  Path path;
  EXPECT_EQ(search->advance(10).error(), Errc::changed);
  EXPECT_EQ(search->path(path).error(), Errc::changed);
  ASSERT_TRUE(search->begin({.from = left(), .to = right(), .agent = agent_, .partial = true}));
  ASSERT_TRUE(*search->advance(1'000));
  // What changes nothing ends none.
  ASSERT_TRUE(ground_->set_present(door, true));
  EXPECT_TRUE(search->path(path));
}

TEST_F(MeshChanges, NeedVoxels) {
  BakeOptions options = small_tiles();
  options.dynamic = false;
  ground_ = ground_of(halls(), options);
  EXPECT_EQ(ground_->add_obstacle(kDoor).error(), Errc::bad_option);
  EXPECT_EQ(ground_->set_area(kDoor.box, 2).error(), Errc::bad_option);
  EXPECT_EQ(ground_->add_obstacle({{{NAN, 0, 0}, {}}, kWall}).error(), Errc::bad_position);
  EXPECT_EQ(ground_->add_obstacle({{}, kMaxArea + 1}).error(), Errc::too_large);
}

// -- Links

TEST_F(MeshChanges, ALedgeLeadsDownOnly) {
  ground_ = ground_of(valley());
  agent_ = *ground_->add_agent({});
  const Place above = at(*ground_, agent_, {6, 27, 5});
  const Place below = at(*ground_, agent_, {10, 27, 0});
  const Place far = at(*ground_, agent_, {46, 2, 0});
  EXPECT_FALSE(ground_->reachable(above, far, agent_));
  const LinkId ledge = *ground_->add_link({.from = above, .to = below, .cost = 2'500});
  EXPECT_TRUE(ground_->reachable(above, far, agent_));
  EXPECT_FALSE(ground_->reachable(far, above, agent_));
  const auto search = ground_->make_search();
  Path path;
  const Place start = at(*ground_, agent_, {4, 28, 5});
  for (const Smoothing smoothing :
       {Smoothing::none, Smoothing::corners, Smoothing::line_of_sight}) {
    ASSERT_TRUE(
        search->find({.from = start, .to = far, .agent = agent_, .smoothing = smoothing}, path));
    ASSERT_EQ(path.links.size(), 1u);
    EXPECT_EQ(path.links[0].link, ledge);
    EXPECT_EQ(path.points[path.links[0].point], above.point);
    EXPECT_EQ(path.points[path.links[0].point + 1], below.point);
    EXPECT_NEAR(static_cast<double>(path.cost) * kMetres, least_cost(*ground_, agent_, start, far),
                0.01);
  }
  EXPECT_EQ(search->find({.from = far, .to = above, .agent = agent_}, path).error(),
            Errc::unreachable);
  // An obstacle at its end closes it; when that is gone, the link is there again.
  const ObstacleId crate = *ground_->add_obstacle({{{9, 26, 0}, {11, 28, 1}}, kWall});
  EXPECT_FALSE(ground_->reachable(above, far, agent_));
  ASSERT_TRUE(ground_->set_present(crate, false));
  EXPECT_TRUE(ground_->reachable(at(*ground_, agent_, {6, 27, 5}), far, agent_));
  ASSERT_TRUE(ground_->remove_link(ledge));
  EXPECT_FALSE(ground_->reachable(at(*ground_, agent_, {6, 27, 5}), far, agent_));
  EXPECT_EQ(ground_->remove_link(ledge).error(), Errc::unknown_link);
}

TEST_F(MeshChanges, LinksAreUsedAsBruteForceUsesThem) {
  Chance chance(5);
  for (std::uint64_t round = 0; round < 4; ++round) {
    ground_ = ground_of(rooms(20 + round, 5, 5));
    Agent flies;
    flies.costs[2] = 3;
    agent_ = *ground_->add_agent(flies);
    Agent walks;
    walks.exclude = 2;
    for (int i = 0; i < 12; ++i) {
      Link link{*ground_->random_point(agent_, chance.word()),
                *ground_->random_point(agent_, chance.word()), 1 + chance.below(20'000)};
      link.both_ways = chance.below(2) == 0;
      link.area = static_cast<Area>(1 + chance.below(2));
      ASSERT_TRUE(ground_->add_link(link));
    }
    const auto search = ground_->make_search();
    Path path;
    int linked = 0;
    for (int i = 0; i < 60; ++i) {
      const Place from = *ground_->random_point(agent_, chance.word());
      const Place to = *ground_->random_point(agent_, chance.word());
      const double least = least_cost(*ground_, agent_, from, to);
      ASSERT_EQ(ground_->reachable(from, to, agent_), std::isfinite(least));
      const auto found = search->find({.from = from, .to = to, .agent = agent_}, path);
      ASSERT_EQ(found.has_value(), std::isfinite(least));
      if (!found) continue;
      ASSERT_NEAR(static_cast<double>(path.cost) * kMetres, least, 1e-3 + least * 2e-5);
      linked += path.links.empty() ? 0 : 1;
    }
    EXPECT_GT(linked, 5);
  }
}

TEST_F(MeshChanges, LinksAreChecked) {
  const Link good{left(), right(), 100};
  const auto error = [&](auto&& change) {
    Link link = good;
    change(link);
    return ground_->add_link(link).error();
  };
  EXPECT_EQ(error([](Link& of) { of.from = {}; }), Errc::bad_start);
  EXPECT_EQ(error([](Link& of) { of.to = {}; }), Errc::bad_goal);
  EXPECT_EQ(error([](Link& of) { of.to = of.from; }), Errc::bad_option);
  EXPECT_EQ(error([](Link& of) { of.cost = 0; }), Errc::bad_option);
  EXPECT_EQ(error([](Link& of) { of.cost = kMaxLinkCost + 1; }), Errc::too_large);
  EXPECT_EQ(error([](Link& of) { of.area = kMaxArea + 1; }), Errc::too_large);
  EXPECT_EQ(error([](Link& of) { of.to.point.z = NAN; }), Errc::bad_position);
  const LinkId link = *ground_->add_link(good);
  ASSERT_TRUE(ground_->remove_link(link));
  const LinkId next = *ground_->add_link(good);
  EXPECT_EQ(next.index(), link.index());
  EXPECT_NE(next, link);
}

}  // namespace
}  // namespace starbus::nav::mesh::test
