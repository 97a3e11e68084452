/// Links between cells: what every search and `reachable` say of them, beside brute force.
#include <gtest/gtest.h>

#include "nav/grid/cell_search.hpp"
#include "nav/grid/grid_ground.hpp"
#include "tests/nav/reference.hpp"

namespace starbus::nav::grid::test {
namespace {

constexpr Algorithm kWithLinks[] = {Algorithm::automatic, Algorithm::a_star, Algorithm::dijkstra,
                                    Algorithm::breadth_first, Algorithm::hierarchical};

CellLink any_link(Chance& chance, const Terrain& terrain) {
  CellLink link{random_cell(chance, terrain), random_cell(chance, terrain),
                1 + chance.below(40'000), chance.below(3) == 0,
                static_cast<Area>(1 + chance.below(3))};
  while (link.to == link.from) link.to = random_cell(chance, terrain);
  return link;
}

void expect_what_brute_force_says(const Case& of, const Layer& layer, CellSearch& search,
                                  Chance& chance) {
  const Cell from = random_place(chance, layer);
  const auto costs = all_costs(of, from);
  const auto moves = all_moves(of, from);
  for (int i = 0; i < 8; ++i) {
    const Cell to = random_place(chance, layer);
    const std::uint64_t least = costs[std::size_t{to.y} * of.terrain.width + to.x];
    ASSERT_EQ(layer.connected(from, to), least != kNoWay);
    for (const Algorithm algorithm : kWithLinks) {
      const auto begun = search.begin(layer, {from, to, algorithm});
      ASSERT_EQ(begun.has_value(), least != kNoWay);
      if (!begun) {
        ASSERT_EQ(begun.error(), Errc::unreachable);
        continue;
      }
      ASSERT_TRUE(*search.advance(~0u));
      std::vector<Cell> path;
      std::vector<LinkStep> links;
      ASSERT_TRUE(search.path(path, links));
      ASSERT_EQ(path.front(), from);
      ASSERT_EQ(path.back(), to);
      ASSERT_EQ(path_cost(of, path, links), search.cost());
      if (algorithm == Algorithm::breadth_first) {
        ASSERT_EQ(path.size() - 1, moves[std::size_t{to.y} * of.terrain.width + to.x]);
      } else if (algorithm == Algorithm::hierarchical) {
        ASSERT_GE(search.cost(), least);
      } else {
        ASSERT_EQ(search.cost(), least);
      }
    }
  }
}

TEST(Links, AreUsedAsBruteForceUsesThem) {
  Chance chance(41);
  CellSearch search;
  for (int round = 0; round < 20; ++round) {
    Case of;
    const std::uint32_t side = round % 20 == 0 ? 100 : 36;
    of.terrain = random_terrain(chance, side, side, 20 + chance.below(30));
    for (int i = 0; i < 200; ++i) of.terrain.areas[chance.below(side * side)] = 2;
    of.options.diagonals = static_cast<Diagonals>(round % 4);
    of.options.agent.costs[2] = 3;
    of.options.areas.flags[3] = 2;  // what is an area 3 lets those through who have its flag
    of.options.agent.include = round % 2 == 0 ? 1 : 3;
    const std::uint32_t count = chance.below(30);
    for (std::uint32_t i = 0; i < count; ++i) {
      of.terrain.links.push_back(any_link(chance, of.terrain));
    }
    Layer layer(of.terrain, of.options);
    ASSERT_TRUE(layer.prepare_clusters(~0u));
    expect_what_brute_force_says(of, layer, search, chance);
  }
}

// Cells and links come and go: everything is as in a layer that was made of what there is now.
TEST(Links, StayRightThroughAnyChanges) {
  Chance chance(42);
  CellSearch search;
  for (int round = 0; round < 4; ++round) {
    Case of;
    of.terrain = rooms(chance, 60, 60);
    of.options.diagonals = static_cast<Diagonals>(round % 4);
    for (int i = 0; i < 12; ++i) of.terrain.links.push_back(any_link(chance, of.terrain));
    Layer layer(of.terrain, of.options);
    for (int step = 0; step < 6; ++step) {
      if (chance.below(2) == 0) {
        const Cell cell = random_cell(chance, of.terrain);
        Area& area = of.terrain.areas[std::size_t{cell.y} * 60 + cell.x];
        area = area == kWall ? kPlain : kWall;
        layer.refresh({cell.x, cell.y, cell.x + 1u, cell.y + 1u});
      } else {
        CellLink& link = of.terrain.links[chance.below(12)];
        if (link.cost != 0) {
          link.cost = 0;
        } else {
          link = any_link(chance, of.terrain);
        }
        layer.refresh_links();
      }
      ASSERT_TRUE(layer.prepare_clusters(~0u));
      expect_what_brute_force_says(of, layer, search, chance);
    }
  }
}

// A ledge: down it goes by a jump, up by the stairs at the other end, and if those are closed, not
// at all.
TEST(Links, ALedgeLeadsDownOnly) {
  Terrain terrain = plain(9, 4);
  for (std::uint32_t x = 0; x < 9; ++x) {
    terrain.areas[2 * 9 + x] = x == 8 ? kPlain : kWall;
  }
  auto ground = *GridGround::create(std::move(terrain), {});
  const AgentId agent = *ground->add_agent({});
  const Place above = ground->place({1, 1});
  const Place below = ground->place({1, 3});
  const LinkId ledge = *ground->add_link({.from = above, .to = below, .cost = 900});
  auto search = ground->make_search();
  Path path;
  for (const Smoothing smoothing :
       {Smoothing::none, Smoothing::corners, Smoothing::line_of_sight}) {
    PathRequest request{.from = ground->place({0, 0}), .to = ground->place({0, 3}), .agent = agent};
    request.smoothing = smoothing;
    ASSERT_TRUE(search->find(request, path));
    EXPECT_EQ(path.cost, 577u + 900 + 408);
    ASSERT_EQ(path.links.size(), 1u);
    EXPECT_EQ(path.links[0].link, ledge);
    EXPECT_EQ(path.points[path.links[0].point], above.point);
    EXPECT_EQ(path.points[path.links[0].point + 1], below.point);
    std::swap(request.from, request.to);
    ASSERT_TRUE(search->find(request, path));
    EXPECT_TRUE(path.links.empty());
    EXPECT_GT(path.cost, 16u * 408);
  }
  const ObstacleId stairs = *ground->add_obstacle({.box = {{8, 2, 0}, {9, 3, 0}}});
  EXPECT_TRUE(ground->reachable(above, below, agent));
  EXPECT_FALSE(ground->reachable(below, above, agent));
  EXPECT_EQ(search->find({.from = below, .to = above, .agent = agent}, path).error(),
            Errc::unreachable);
  // An obstacle at its end closes it; a key opens it.
  const ObstacleId crate = *ground->add_obstacle({.box = {{1, 3, 0}, {2, 4, 0}}});
  EXPECT_FALSE(ground->reachable(above, ground->place({0, 3}), agent));
  ASSERT_TRUE(ground->set_present(crate, false));
  EXPECT_TRUE(ground->reachable(above, below, agent));
  ASSERT_TRUE(ground->remove_link(ledge));
  EXPECT_FALSE(ground->reachable(above, below, agent));
  EXPECT_EQ(ground->remove_link(ledge).error(), Errc::unknown_link);
  ASSERT_TRUE(ground->remove_obstacle(stairs));
  EXPECT_TRUE(ground->reachable(above, below, agent));
}

TEST(Links, AreChecked) {
  auto ground = *GridGround::create(plain(3, 1), {});
  const Place a = ground->place({0, 0});
  const Place b = ground->place({2, 0});
  EXPECT_EQ(ground->add_link({.from = {}, .to = b}).error(), Errc::bad_start);
  EXPECT_EQ(ground->add_link({.from = a, .to = {}}).error(), Errc::bad_goal);
  EXPECT_EQ(ground->add_link({.from = a, .to = a}).error(), Errc::bad_option);
  EXPECT_EQ(ground->add_link({.from = a, .to = b, .cost = 0}).error(), Errc::bad_option);
  EXPECT_EQ(ground->add_link({.from = a, .to = b, .area = kMaxArea + 1}).error(), Errc::too_large);
  EXPECT_EQ(ground->remove_link({}).error(), Errc::unknown_link);
  const AgentId agent = *ground->add_agent({});
  const LinkId link = *ground->add_link({.from = a, .to = b});
  PathRequest request{.from = a, .to = b, .agent = agent, .algorithm = Algorithm::jps};
  auto search = ground->make_search();
  EXPECT_EQ(search->begin(request).error(), Errc::not_uniform) << "jumps know no links";
  ASSERT_TRUE(ground->remove_link(link));
  EXPECT_TRUE(search->begin(request));
  const LinkId next = *ground->add_link({.from = a, .to = b});
  EXPECT_EQ(next.index(), link.index());
  EXPECT_NE(next, link) << "an id that was removed names no other link";
}

}  // namespace
}  // namespace starbus::nav::grid::test
