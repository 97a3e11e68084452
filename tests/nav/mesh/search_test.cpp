/// Searches over navmeshes, beside a plain Dijkstra and beside Detour.
#include <DetourNavMeshQuery.h>
#include <DetourNode.h>
#include <gtest/gtest.h>

#include <cmath>

#include "nav/mesh/kind.hpp"
#include "tests/nav/mesh/world.hpp"
#include "tests/nav/reference.hpp"

namespace starbus::nav::mesh::test {
namespace {

using grid::test::Chance;

struct Query {
  dtNavMeshQuery* query = dtAllocNavMeshQuery();
  explicit Query(const MeshGround& ground) {
    EXPECT_TRUE(dtStatusSucceed(query->init(&ground.tiles().mesh(), 4'096)));
  }
  ~Query() { dtFreeNavMeshQuery(query); }
  Query(const Query&) = delete;
};

// m, of Detour's own way; nullopt if it leads elsewhere.
std::optional<double> cost_of_detour(const MeshGround& ground, AgentId agent, const Place& from,
                                     const Place& to) {
  const Query query(ground);
  dtPolyRef path[1'024];
  int count = 0;
  const auto goal = static_cast<dtPolyRef>(to.piece);
  const Spot a = spot_of(from.point);
  const Spot b = spot_of(to.point);
  query.query->findPath(static_cast<dtPolyRef>(from.piece), goal, a.data(), b.data(),
                        &ground.kind(agent)->filter(), path, &count, 1'024);
  if (count == 0 || path[count - 1] != goal) return std::nullopt;
  if (count == 1)
    return distance(a.data(), b.data()) * ground.kind(agent)->cost(ground.area_at(to));
  // It has a node for each side that the polygon was entered by.
  dtNode* nodes[DT_MAX_STATES_PER_NODE];
  const unsigned int known =
      query.query->getNodePool()->findNodes(goal, nodes, DT_MAX_STATES_PER_NODE);
  double cost = INFINITY;
  for (unsigned int i = 0; i < known; ++i) cost = std::min(cost, double{nodes[i]->cost});
  return cost;
}

std::vector<std::unique_ptr<MeshGround>> grounds() {
  std::vector<std::unique_ptr<MeshGround>> all;
  Paint paint;
  paint.materials = {{"water", 2}};
  all.push_back(ground_of(valley(), small_tiles(), paint));
  World hills;
  hills.hills(5, 0, 0, 16, 16, 2.5F);
  all.push_back(ground_of(hills));
  all.push_back(ground_of(rooms(1, 6, 6)));
  all.push_back(ground_of(rooms(2, 6, 6)));
  return all;
}

double length_of(const Path& path) {
  double sum = 0;
  for (std::size_t i = 1; i < path.points.size(); ++i) {
    sum +=
        std::hypot(path.points[i].x - path.points[i - 1].x, path.points[i].y - path.points[i - 1].y,
                   path.points[i].z - path.points[i - 1].z);
  }
  return sum;
}

TEST(MeshSearches, CostWhatBruteForceSays) {
  int apart = 0;
  int ways = 0;
  for (const auto& ground : grounds()) {
    Agent swims;
    swims.costs[2] = 4;
    const AgentId agent = *ground->add_agent(swims);
    const auto search = ground->make_search();
    Path path;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      PathRequest request{.from = *ground->random_point(agent, 2 * seed),
                          .to = *ground->random_point(agent, 2 * seed + 1),
                          .agent = agent};
      const double least = least_cost(*ground, agent, request.from, request.to);
      ASSERT_EQ(ground->reachable(request.from, request.to, agent), std::isfinite(least));
      for (const Algorithm algorithm : {Algorithm::a_star, Algorithm::dijkstra}) {
        request.algorithm = algorithm;
        const auto found = search->find(request, path);
        if (!std::isfinite(least)) {
          ++apart;
          ASSERT_EQ(found.error(), Errc::unreachable);
          continue;
        }
        ++ways;
        ASSERT_TRUE(found);
        ASSERT_TRUE(path.complete);
        // Floats of a few hundred steps against doubles, and an estimate of 0.9999.
        ASSERT_NEAR(static_cast<double>(path.cost) * ground->unit(), least, 1e-3 + least * 2e-5);
        ASSERT_EQ(path.points.front(), request.from.point);
        ASSERT_NEAR(path.points.back().x, request.to.point.x, 1e-3);
        ASSERT_NEAR(path.points.back().y, request.to.point.y, 1e-3);
      }
    }
  }
  EXPECT_GT(apart, 20);
  EXPECT_GT(ways, 100);
}

// Detour keeps one way into each polygon, the first that it looked at; a search that keeps all is
// never dearer.
TEST(MeshSearches, CostNoMoreThanDetours) {
  int cheaper = 0;
  for (const auto& ground : grounds()) {
    const AgentId agent = *ground->add_agent({});
    const auto search = ground->make_search();
    Path path;
    for (std::uint64_t seed = 100; seed < 200; ++seed) {
      const Place from = *ground->random_point(agent, 2 * seed);
      const Place to = *ground->random_point(agent, 2 * seed + 1);
      const auto theirs = cost_of_detour(*ground, agent, from, to);
      const auto found = search->find({.from = from, .to = to, .agent = agent}, path);
      ASSERT_EQ(theirs.has_value(), found.has_value());
      if (!theirs) continue;
      const double ours = static_cast<double>(path.cost) * ground->unit();
      ASSERT_LE(ours, *theirs * 1.0002 + 1e-3);
      cheaper += ours < *theirs * 0.99 ? 1 : 0;
    }
  }
  EXPECT_GT(cheaper, 10);
}

// What is straightened stays on the ground, is no longer than the middles of edges are, and no
// shorter than the straight line.
TEST(MeshSearches, StraightenWaysOnTheGround) {
  for (const auto& ground : grounds()) {
    const AgentId agent = *ground->add_agent({});
    const auto search = ground->make_search();
    Path path;
    for (std::uint64_t seed = 300; seed < 340; ++seed) {
      PathRequest request{.from = *ground->random_point(agent, 2 * seed),
                          .to = *ground->random_point(agent, 2 * seed + 1),
                          .agent = agent};
      std::size_t most = 0;
      for (const Smoothing smoothing :
           {Smoothing::line_of_sight, Smoothing::corners, Smoothing::none}) {
        request.smoothing = smoothing;
        if (!search->find(request, path)) break;
        EXPECT_GE(path.points.size(), most);
        most = path.points.size();
        Place walker = request.from;
        for (std::size_t i = 1; i < path.points.size(); ++i) {
          const Point& a = path.points[i - 1];
          const Point& b = path.points[i];
          for (int step = 1; step <= 20; ++step) {
            const float part = static_cast<float>(step) / 20;
            const Point next = {a.x + (b.x - a.x) * part, a.y + (b.y - a.y) * part, 0};
            walker = ground->move_along_surface(walker, next, agent).value();
            ASSERT_NEAR(walker.point.x, next.x, 0.03);
            ASSERT_NEAR(walker.point.y, next.y, 0.03);
          }
        }
      }
      ASSERT_LE(length_of(path), static_cast<double>(path.cost) * ground->unit() * 1.01 + 0.3);
    }
  }
}

TEST(MeshSearches, AreStraightOnOpenGround) {
  World world;
  world.floor(0, 0, 40, 40, 0);
  const auto ground = ground_of(world);
  const AgentId agent = *ground->add_agent({});
  Path path;
  ASSERT_TRUE(ground->make_search()->find({.from = at(*ground, agent, {2, 3, 0}),
                                           .to = at(*ground, agent, {37, 30, 0}),
                                           .agent = agent},
                                          path));
  EXPECT_EQ(path.points.size(), 2u);
}

TEST(MeshSearches, TurnOnceInAnLShapedCorridor) {
  World world;
  world.floor(0, 0, 20, 4, 0).floor(16, 4, 20, 20, 0);
  BakeOptions options = small_tiles();
  options.agent_radius = 0;  // with a radius the corner is round
  const auto ground = ground_of(world, options);
  const AgentId agent = *ground->add_agent({});
  Path path;
  ASSERT_TRUE(ground->make_search()->find({.from = at(*ground, agent, {2, 2, 0}),
                                           .to = at(*ground, agent, {18, 18, 0}),
                                           .agent = agent},
                                          path));
  ASSERT_EQ(path.points.size(), 3u);
  EXPECT_NEAR(path.points[1].x, 16, 0.3);
  EXPECT_NEAR(path.points[1].y, 4, 0.3);
}

TEST(MeshSearches, InSlicesGiveWhatOneSearchGives) {
  const auto ground = ground_of(rooms(7, 8, 8));
  const AgentId agent = *ground->add_agent({});
  const auto whole = ground->make_search();
  std::vector<std::unique_ptr<Search>> sliced;
  std::vector<Path> expected;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    PathRequest request{.from = *ground->random_point(agent, 2 * seed),
                        .to = *ground->random_point(agent, 2 * seed + 1),
                        .agent = agent,
                        .partial = true};
    expected.emplace_back();
    ASSERT_TRUE(whole->find(request, expected.back()));
    sliced.push_back(ground->make_search());
    ASSERT_TRUE(sliced.back()->begin(request));
  }
  std::vector<bool> done(sliced.size());
  Path path;
  for (bool any = true; any;) {  // they take turns
    any = false;
    for (std::size_t i = 0; i < sliced.size(); ++i) {
      if (done[i]) continue;
      ASSERT_TRUE(sliced[i]->path(path));
      const std::uint32_t before = path.expanded;
      done[i] = *sliced[i]->advance(3);
      ASSERT_TRUE(sliced[i]->path(path));
      ASSERT_LE(path.expanded, before + 3);
      any = any || !done[i];
    }
  }
  for (std::size_t i = 0; i < sliced.size(); ++i) {
    ASSERT_TRUE(sliced[i]->path(path));
    EXPECT_EQ(path.points, expected[i].points);
    EXPECT_EQ(path.cost, expected[i].cost);
    EXPECT_EQ(path.expanded, expected[i].expanded);
    EXPECT_EQ(path.complete, expected[i].complete);
  }
}

TEST(MeshSearches, LeadToTheNearestPlaceThatCanBeReached) {
  const auto ground = ground_of(valley());
  const AgentId agent = *ground->add_agent({});
  const Place platform = at(*ground, agent, {5, 27, 5});
  const Place from = at(*ground, agent, {40, 30, 0});
  const auto search = ground->make_search();
  Path path;
  PathRequest request{.from = from, .to = platform, .agent = agent};
  EXPECT_EQ(search->find(request, path).error(), Errc::unreachable);
  request.partial = true;
  ASSERT_TRUE(search->find(request, path));
  EXPECT_FALSE(path.complete);
  const Point end = path.points.back();
  const auto far = [&](const Point& point) {
    return std::hypot(point.x - platform.point.x, point.y - platform.point.y,
                      point.z - platform.point.z);
  };
  // No place that can be reached is nearer.
  for (std::uint64_t seed = 0; seed < 2'000; ++seed) {
    const Place other = *ground->random_point(agent, seed);
    if (!ground->reachable(from, other, agent)) continue;
    ASSERT_GE(far(other.point), far(end) - 0.01);
  }
  EXPECT_LT(std::hypot(end.x - 5, end.y - 27), 6);
}

TEST(MeshSearches, ShowAWayTowardsTheGoalBeforeTheEnd) {
  const auto ground = ground_of(valley());
  const AgentId agent = *ground->add_agent({});
  PathRequest request{
      .from = at(*ground, agent, {2, 2, 0}), .to = at(*ground, agent, {37, 7, 4}), .agent = agent};
  const auto search = ground->make_search();
  ASSERT_TRUE(search->begin(request));
  Path path;
  const auto left = [&] {
    const Point& end = path.points.back();
    const Point& goal = request.to.point;
    return std::hypot(end.x - goal.x, end.y - goal.y, end.z - goal.z);
  };
  double before = 1e9;
  int slices = 0;
  for (bool ended = false; !ended; ++slices) {
    ended = *search->advance(4);
    ASSERT_TRUE(search->path(path));
    EXPECT_EQ(path.complete, ended);
    EXPECT_EQ(path.points.front(), request.from.point);
    EXPECT_LE(left(), before + 1e-3);
    before = left();
  }
  EXPECT_GT(slices, 3);
  EXPECT_LT(before, 0.01);
}

TEST(MeshSearches, WithAWeightCostAtMostThatMore) {
  for (const auto& ground : grounds()) {
    const AgentId agent = *ground->add_agent({});
    const auto search = ground->make_search();
    Path path;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      PathRequest request{.from = *ground->random_point(agent, 2 * seed),
                          .to = *ground->random_point(agent, 2 * seed + 1),
                          .agent = agent,
                          .algorithm = Algorithm::a_star};
      if (!search->find(request, path)) continue;
      const auto least = static_cast<double>(path.cost);
      request.weight = 250;
      ASSERT_TRUE(search->find(request, path));
      EXPECT_LE(static_cast<double>(path.cost), 2.5 * least + 2);
      EXPECT_GE(static_cast<double>(path.cost), least * 0.9999 - 2);
    }
  }
}

TEST(MeshSearches, RefuseWhatTheyAreNotMadeFor) {
  const auto ground = ground_of(valley());
  const AgentId agent = *ground->add_agent({});
  const auto search = ground->make_search();
  Path path;
  EXPECT_EQ(search->advance(1).error(), Errc::not_ready);
  EXPECT_EQ(search->path(path).error(), Errc::not_ready);
  const PathRequest good{
      .from = at(*ground, agent, {2, 2, 0}), .to = at(*ground, agent, {4, 2, 0}), .agent = agent};
  const auto error = [&](auto&& change) {
    PathRequest request = good;
    change(request);
    return search->find(request, path).error();
  };
  for (const Algorithm algorithm :
       {Algorithm::breadth_first, Algorithm::jps, Algorithm::jps_plus, Algorithm::hierarchical}) {
    EXPECT_EQ(error([&](auto& of) { of.algorithm = algorithm; }), Errc::bad_option);
  }
  EXPECT_EQ(error([](auto& of) { of.weight = 99; }), Errc::bad_option);
  EXPECT_EQ(error([](auto& of) { of.weight = 200; }), Errc::bad_option) << "for a_star alone";
  EXPECT_EQ(error([](auto& of) { of.weight = kMaxWeight + 1; }), Errc::too_large);
  EXPECT_EQ(error([](auto& of) { of.agent = {9}; }), Errc::unknown_agent);
  EXPECT_EQ(error([](auto& of) { of.from.piece = 12345; }), Errc::bad_start);
  EXPECT_EQ(error([](auto& of) { of.to = {}; }), Errc::bad_goal);
  EXPECT_EQ(error([](auto& of) { of.to.point.x = NAN; }), Errc::bad_position);
  EXPECT_EQ(ground->prepare(agent, Algorithm::hierarchical).error(), Errc::bad_option);
  EXPECT_EQ(ground->prepare({}, Algorithm::hierarchical).error(), Errc::unknown_agent);
  Agent wide;
  wide.radius = 0.6F;
  EXPECT_EQ(ground->add_agent(wide).error(), Errc::bad_option);
  Agent low;
  low.climb = 0.3F;
  EXPECT_EQ(ground->add_agent(low).error(), Errc::bad_option);
  EXPECT_EQ(*ground->add_agent({}), agent) << "one like it is known already";
}

}  // namespace
}  // namespace starbus::nav::mesh::test
