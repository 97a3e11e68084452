/// Every search beside brute force, on random maps that shrink and on a thousand larger ones.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "nav/grid/cell_search.hpp"
#include "tests/nav/generators.hpp"

namespace starbus::nav::grid::test {
namespace {

constexpr Algorithm kAll[] = {Algorithm::automatic,     Algorithm::a_star, Algorithm::dijkstra,
                              Algorithm::breadth_first, Algorithm::jps,    Algorithm::jps_plus};
constexpr Diagonals kRules[] = {Diagonals::none, Diagonals::no_cut, Diagonals::one_side,
                                Diagonals::cut};

std::uint64_t at(const Case& of, const std::vector<std::uint64_t>& costs, Cell cell) {
  return costs[std::size_t{cell.y} * of.terrain.width + cell.x];
}

struct Way {
  Errc error = Errc::ok;
  std::uint64_t cost = kNoWay;
  std::uint32_t expanded = 0;
  std::vector<Cell> cells;
};

Way look(CellSearch& search, const Layer& layer, Cell from, Cell to, Algorithm algorithm) {
  Way way;
  if (auto begun = search.begin(layer, {from, to, algorithm}); !begun) {
    way.error = begun.error().code.in<Errc>();
    return way;
  }
  const auto ended = search.advance(~0u);
  EXPECT_TRUE(ended && *ended);
  EXPECT_TRUE(search.complete());
  EXPECT_TRUE(search.path(way.cells));
  way.cost = search.cost();
  way.expanded = search.expanded();
  return way;
}

// What every search must answer, whatever the map is.
bool agrees(const Case& of, const Layer& layer, CellSearch& search, Cell from, Cell to,
            Algorithm algorithm, const std::vector<std::uint64_t>& costs) {
  const bool jumps = algorithm == Algorithm::jps || algorithm == Algorithm::jps_plus;
  const Way way = look(search, layer, from, to, algorithm);
  if (!may_stand(of, from.x, from.y)) return way.error == Errc::bad_start;
  if (!may_stand(of, to.x, to.y)) return way.error == Errc::bad_goal;
  if (at(of, costs, to) == kNoWay) {
    return way.error == Errc::unreachable && search.expanded() == 0;
  }
  if (jumps && !layer.can_jump()) return way.error == Errc::not_uniform;
  if (way.error != Errc::ok || way.cells.front() != from || way.cells.back() != to) return false;
  if (path_cost(of, way.cells) != way.cost) return false;
  if (algorithm != Algorithm::breadth_first) return way.cost == at(of, costs, to);
  return way.cells.size() - 1 == at(of, all_moves(of, from), to);
}

void compare(const Taste& taste) {
  const Case of = any_case(taste);
  Layer layer = of.layer();
  if (layer.can_jump()) RC_ASSERT(layer.prepare());
  CellSearch search;
  for (int i = 0; i < 3; ++i) {
    const Cell from = any_cell(of);
    const Cell to = any_cell(of);
    const auto costs = all_costs(of, from);
    RC_ASSERT(layer.connected(from, to) == (at(of, costs, to) != kNoWay));
    for (const Algorithm algorithm : kAll) {
      RC_ASSERT(agrees(of, layer, search, from, to, algorithm, costs));
    }
  }
}

TEST(Searches, AgreeWithBruteForceOnPlainMaps) {
  EXPECT_TRUE(rc::check("plain", [] { compare({}); }));
}

TEST(Searches, AgreeWithBruteForceWithAreasAndHeights) {
  EXPECT_TRUE(rc::check("areas", [] { compare({.areas = true}); }));
  EXPECT_TRUE(rc::check("levels", [] { compare({.levels = true}); }));
  EXPECT_TRUE(rc::check("both", [] { compare({.areas = true, .levels = true}); }));
}

TEST(Searches, AgreeWithBruteForceForWideAgents) {
  EXPECT_TRUE(rc::check("margin", [] { compare({.areas = true, .margin = true}); }));
}

// Tall and wide maps: jumps longer than one word of bits.
TEST(Searches, AgreeOnLongMaps) {
  Chance chance(7);
  CellSearch search;
  for (int round = 0; round < 60; ++round) {
    const bool wide = round % 2 == 0;
    Case of;
    of.terrain = random_terrain(chance, wide ? 300 : 5, wide ? 5 : 300, 4);
    of.options.diagonals = kRules[1 + round % 3];
    Layer layer = of.layer();
    ASSERT_TRUE(layer.prepare());
    const Cell from = random_place(chance, layer);
    const Cell to = random_place(chance, layer);
    const auto costs = all_costs(of, from);
    for (const Algorithm algorithm : kAll) {
      ASSERT_TRUE(agrees(of, layer, search, from, to, algorithm, costs)) << round;
    }
  }
}

// S8 and S9: 1,000 random maps with 10 to 40 % walls. A* without weight equals Dijkstra and expands
// no more; jump points cost the same exactly, and open no more cells.
TEST(Searches, CostTheSameOnAThousandMaps) {
  Chance chance(1);
  CellSearch search;
  std::uint32_t ways = 0;
  for (std::uint32_t round = 0; round < 1'000; ++round) {
    Case of;
    of.terrain = random_terrain(chance, 40, 30, 10 + round % 31);
    of.options.diagonals = kRules[round % 4];
    Layer layer = of.layer();
    const bool jumps = layer.can_jump();
    ASSERT_EQ(jumps, of.options.diagonals != Diagonals::none);
    if (jumps) {
      ASSERT_TRUE(layer.prepare());
    }
    const Cell from = random_place(chance, layer);
    const Cell to = random_place(chance, layer);
    const Way dijkstra = look(search, layer, from, to, Algorithm::dijkstra);
    const Way a_star = look(search, layer, from, to, Algorithm::a_star);
    ASSERT_EQ(a_star.error, dijkstra.error);
    ASSERT_EQ(a_star.cost, dijkstra.cost);
    ASSERT_LE(a_star.expanded, dijkstra.expanded);
    for (const Algorithm algorithm : {Algorithm::jps, Algorithm::jps_plus}) {
      if (!jumps) continue;
      const Way jump = look(search, layer, from, to, algorithm);
      ASSERT_EQ(jump.error, dijkstra.error);
      ASSERT_EQ(jump.cost, dijkstra.cost) << round;
      ASSERT_LE(jump.expanded, dijkstra.expanded);
      if (jump.error == Errc::ok) {
        ASSERT_EQ(path_cost(of, jump.cells), jump.cost);
      }
    }
    ways += a_star.error == Errc::ok ? 1u : 0u;
  }
  EXPECT_GT(ways, 500u) << "most maps have a way";
}

TEST(Searches, FollowTheTieRuleCellByCell) {
  EXPECT_TRUE(rc::check("ties", [] {
    const Case of = any_case(
        {.areas = *rc::gen::arbitrary<bool>(), .levels = *rc::gen::arbitrary<bool>(), .most = 20});
    const Layer layer = of.layer();
    const Cell from = any_cell(of);
    const Cell to = any_cell(of);
    RC_PRE(layer.connected(from, to));
    CellSearch search;
    for (const Algorithm algorithm : {Algorithm::a_star, Algorithm::dijkstra}) {
      const Found expected = a_star(of, from, to, algorithm == Algorithm::a_star);
      const Way way = look(search, layer, from, to, algorithm);
      RC_ASSERT(way.cells == expected.path);
      RC_ASSERT(way.expanded == expected.expanded);
    }
  }));
}

// A cheap road around dear ground makes sums that lie far beyond the window of the open list.
TEST(Searches, FollowTheTieRuleWithVeryDearGround) {
  Chance chance(11);
  CellSearch search;
  for (int round = 0; round < 40; ++round) {
    Case of;
    of.terrain = random_terrain(chance, 60, 60, 20);
    for (Area& area : of.terrain.areas) {
      if (area != kWall && chance.below(3) == 0) area = 2;
    }
    of.options.agent.costs[2] = kMaxAreaCost;
    const Layer layer = of.layer();
    const Cell from = random_place(chance, layer);
    const Cell to = random_place(chance, layer);
    if (!layer.connected(from, to)) continue;
    const Found expected = a_star(of, from, to, true);
    const Way way = look(search, layer, from, to, Algorithm::a_star);
    ASSERT_EQ(way.cells, expected.path);
    ASSERT_EQ(way.expanded, expected.expanded);
  }
}

TEST(Searches, AWeightBoundsTheCost) {
  Chance chance(3);
  CellSearch search;
  std::uint64_t expanded = 0;
  std::uint64_t plainly = 0;
  for (std::uint32_t round = 0; round < 300; ++round) {
    Case of;
    of.terrain = random_terrain(chance, 50, 50, 25);
    const Layer layer = of.layer();
    const Cell from = random_place(chance, layer);
    const Cell to = random_place(chance, layer);
    if (!layer.connected(from, to)) continue;
    const Way least = look(search, layer, from, to, Algorithm::a_star);
    for (const std::uint32_t weight : {100u, 150u, 300u, kMaxWeight}) {
      ASSERT_TRUE(search.begin(layer, {from, to, Algorithm::a_star, false, weight}));
      ASSERT_TRUE(*search.advance(~0u));
      ASSERT_LE(search.cost() * 100, least.cost * weight);
      if (weight == 100) {
        ASSERT_EQ(search.cost(), least.cost);
      }
      if (weight == 150) expanded += search.expanded();
    }
    plainly += least.expanded;
  }
  EXPECT_LT(expanded, plainly);
}

// S8: an empty map of 100 x 100, from corner to corner.
TEST(Searches, CostWhatGeometrySaysOnAnEmptyMap) {
  CellSearch search;
  Case of;
  of.terrain = plain(100, 100);
  const Layer eight = of.layer();
  EXPECT_EQ(look(search, eight, {0, 0}, {99, 99}, Algorithm::a_star).cost, 99u * 577);
  EXPECT_NEAR(99.0 * 577 / 408, 99 * 1.4142135623730951, 0.0003);
  of.options.diagonals = Diagonals::none;
  const Layer four = of.layer();
  EXPECT_EQ(look(search, four, {0, 0}, {99, 99}, Algorithm::a_star).cost, 198u * 408);
  const Way none = look(search, eight, {5, 5}, {5, 5}, Algorithm::automatic);
  EXPECT_EQ(none.cost, 0u);
  EXPECT_EQ(none.cells.size(), 1u) << "the start is the goal";
}

// S9: no recursion that a large open map could exhaust the stack with.
TEST(Searches, CrossALargeOpenMap) {
  Case of;
  of.terrain = plain(2'000, 2'000);
  Layer layer = of.layer();
  ASSERT_TRUE(layer.prepare());
  CellSearch search;
  for (const Algorithm algorithm : {Algorithm::a_star, Algorithm::jps, Algorithm::jps_plus}) {
    const Way way = look(search, layer, {0, 0}, {1'999, 1'500}, algorithm);
    EXPECT_EQ(way.cost, 1'500u * 577 + 499u * 408);
  }
}

}  // namespace
}  // namespace starbus::nav::grid::test
