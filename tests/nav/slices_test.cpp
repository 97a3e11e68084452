/// Searches in slices, partial ways, and memory.
#include <gtest/gtest.h>

#include "nav/grid/cell_search.hpp"
#include "tests/nav/reference.hpp"

namespace starbus::nav::grid::test {
namespace {

constexpr Algorithm kEach[] = {Algorithm::a_star, Algorithm::dijkstra, Algorithm::breadth_first,
                               Algorithm::jps, Algorithm::jps_plus};

TEST(Slices, GiveWhatOneSearchGives) {
  Chance chance(21);
  CellSearch sliced;
  CellSearch whole;
  for (int round = 0; round < 60; ++round) {
    Case of;
    of.terrain = rooms(chance, 60, 60);
    Layer layer = of.layer();
    ASSERT_TRUE(layer.prepare());
    const Cell from = random_place(chance, layer);
    const Cell to = random_place(chance, layer);
    if (!layer.connected(from, to)) continue;
    for (const Algorithm algorithm : kEach) {
      ASSERT_TRUE(whole.begin(layer, {from, to, algorithm}));
      ASSERT_TRUE(*whole.advance(~0u));
      ASSERT_TRUE(sliced.begin(layer, {from, to, algorithm}));
      std::uint32_t slices = 0;
      for (;; ++slices) {
        const std::uint32_t before = sliced.expanded();
        const auto ended = sliced.advance(7);
        ASSERT_TRUE(ended);
        ASSERT_LE(sliced.expanded() - before, 7u) << "no slice exceeds its budget";
        if (*ended) break;
      }
      ASSERT_EQ(slices, (whole.expanded() - 1) / 7);
      std::vector<Cell> a;
      std::vector<Cell> b;
      ASSERT_TRUE(whole.path(a));
      ASSERT_TRUE(sliced.path(b));
      ASSERT_EQ(a, b);
      ASSERT_EQ(whole.cost(), sliced.cost());
    }
  }
}

TEST(Slices, ShowAWayTowardsTheGoalBeforeTheEnd) {
  Case of;
  of.terrain = plain(100, 100);
  const Layer layer = of.layer();
  CellSearch search;
  ASSERT_TRUE(search.begin(layer, {{0, 0}, {99, 99}, Algorithm::a_star}));
  ASSERT_FALSE(*search.advance(30));
  std::vector<Cell> path;
  ASSERT_TRUE(search.path(path));
  EXPECT_FALSE(search.complete());
  EXPECT_EQ(path.front(), (Cell{0, 0}));
  EXPECT_EQ(path.back(), (Cell{29, 29})) << "straight there: 30 nodes are 29 steps";
  EXPECT_EQ(path_cost(of, path), search.cost());
  ASSERT_TRUE(*search.advance(1'000));
  EXPECT_TRUE(search.complete());
}

// Two searches side by side do not disturb each other: each is in an object of its own.
TEST(Slices, OfSeveralSearchesMayTakeTurns) {
  Chance chance(4);
  Case of;
  of.terrain = random_terrain(chance, 80, 80, 25);
  const Layer layer = of.layer();
  std::vector<CellSearch> searches(8);
  std::vector<std::uint64_t> costs;
  for (CellSearch& one : searches) {
    Cell from = random_place(chance, layer);
    Cell to = random_place(chance, layer);
    while (!layer.connected(from, to)) to = random_place(chance, layer);
    ASSERT_TRUE(one.begin(layer, {from, to, Algorithm::a_star}));
    costs.push_back(all_costs(of, from)[std::size_t{to.y} * 80 + to.x]);
  }
  for (std::size_t left = searches.size(); left > 0;) {
    for (CellSearch& one : searches) {
      if (!one.found() && *one.advance(5)) --left;
    }
  }
  for (std::size_t i = 0; i < searches.size(); ++i) EXPECT_EQ(searches[i].cost(), costs[i]);
}

TEST(Slices, EndWithAnErrorIfTheGroundHasChanged) {
  Case of;
  of.terrain = plain(40, 40);
  Layer layer = of.layer();
  CellSearch search;
  EXPECT_EQ(search.advance(1).error(), Errc::not_ready);
  std::vector<Cell> path;
  EXPECT_EQ(search.path(path).error(), Errc::not_ready);
  ASSERT_TRUE(search.begin(layer, {{0, 0}, {39, 39}, Algorithm::a_star}));
  ASSERT_FALSE(*search.advance(3));
  of.terrain.areas[20 * 40 + 20] = kWall;
  layer.refresh({20, 20, 21, 21});
  EXPECT_EQ(search.advance(3).error(), Errc::changed);
  EXPECT_EQ(search.path(path).error(), Errc::changed);
  EXPECT_EQ(search.begin(layer, {{0, 0}, {20, 20}}).error(), Errc::bad_goal);
}

TEST(Partial, LeadsToTheNearestCellThatCanBeReached) {
  Chance chance(13);
  CellSearch search;
  int partial = 0;
  for (int round = 0; round < 300; ++round) {
    Case of;
    of.terrain = random_terrain(chance, 24, 24, 45);
    of.options.diagonals = static_cast<Diagonals>(round % 4);
    const Layer layer = of.layer();
    const Cell from = random_place(chance, layer);
    const Cell to = random_cell(chance, of.terrain);
    if (layer.connected(from, to)) continue;
    ++partial;
    ASSERT_TRUE(search.begin(layer, {from, to, Algorithm::automatic, true}));
    ASSERT_TRUE(*search.advance(~0u));
    EXPECT_TRUE(search.found());
    EXPECT_FALSE(search.complete());
    std::vector<Cell> path;
    ASSERT_TRUE(search.path(path));
    const auto costs = all_costs(of, from);
    const Estimate estimate(of.options.diagonals, 1);
    std::uint32_t least = ~0u;
    Cell nearest;
    for (std::uint16_t y = 0; y < 24; ++y) {
      for (std::uint16_t x = 0; x < 24; ++x) {
        const std::uint32_t far = estimate.between(spot_of(Cell{x, y}), spot_of(to));
        if (costs[y * 24u + x] == kNoWay || far >= least) continue;
        least = far;
        nearest = {x, y};
      }
    }
    ASSERT_EQ(path.back(), nearest) << "the first of equals, by row and column";
    ASSERT_EQ(search.cost(), costs[nearest.y * 24u + nearest.x]);
    ASSERT_EQ(path_cost(of, path), search.cost());
  }
  EXPECT_GT(partial, 100);
}

}  // namespace
}  // namespace starbus::nav::grid::test
