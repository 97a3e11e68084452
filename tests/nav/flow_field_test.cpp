/// Flow fields beside brute force, and the example of the wide path.
#include "nav/grid/flow_field.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "tests/nav/generators.hpp"

namespace starbus::nav::grid::test {
namespace {

// Each cell's walk ends at a goal, each step costs what the field says, and that falls strictly.
bool walks_down(const Case& of, const FlowField& field, Cell cell) {
  while (field.direction(cell) != kNoDirection) {
    const Direction d = field.direction(cell);
    if (!may_move(of, cell, kStepX[d], kStepY[d])) return false;
    const Cell next = beside(cell, d);
    if (*field.cost(cell) != *field.cost(next) + std::uint64_t{kStepCost[d]} * cost_of(of, next)) {
      return false;
    }
    cell = next;
  }
  return field.cost(cell) == 0;
}

void compare_field(const Taste& taste) {
  const Case of = any_case(taste);
  const Layer layer = of.layer();
  const Cell goal = any_cell(of);
  RC_PRE(layer.passable(goal));
  FlowField field;
  RC_ASSERT(field.build(layer, goal));
  std::uint32_t reached = 0;
  for (std::uint16_t y = 0; y < of.terrain.height; ++y) {
    for (std::uint16_t x = 0; x < of.terrain.width; ++x) {
      const auto costs = all_costs(of, {x, y});
      const std::uint64_t there = costs[std::size_t{goal.y} * of.terrain.width + goal.x];
      const auto cost = field.cost({x, y});
      RC_ASSERT(cost.value_or(kNoWay) == there);
      if (!cost) continue;
      RC_ASSERT(walks_down(of, field, {x, y}));
      ++reached;
    }
  }
  RC_ASSERT(field.reached() == reached);
}

TEST(FlowField, AgreesWithBruteForce) {
  EXPECT_TRUE(rc::check("plain", [] { compare_field({.most = 10}); }));
  EXPECT_TRUE(
      rc::check("areas", [] { compare_field({.areas = true, .levels = true, .most = 8}); }));
}

TEST(FlowField, IsExactOnLargeMaps) {
  Chance chance(5);
  FlowField field;
  for (int round = 0; round < 8; ++round) {
    Case of;
    of.terrain = round % 2 == 0 ? random_terrain(chance, 150, 90, 30) : rooms(chance, 120, 120);
    of.options.diagonals = static_cast<Diagonals>(round % 4);
    if (round >= 4) of.options.agent.costs.fill(3);  // all the same, but not 1
    const Layer layer = of.layer();
    const Cell goal = random_place(chance, layer);
    ASSERT_TRUE(field.build(layer, goal));
    // All cells cost the same, so that ways there and back do, too.
    const auto costs = all_costs(of, goal);
    for (std::uint16_t y = 0; y < of.terrain.height; ++y) {
      for (std::uint16_t x = 0; x < of.terrain.width; ++x) {
        ASSERT_EQ(field.cost({x, y}).value_or(kNoWay),
                  costs[std::size_t{y} * of.terrain.width + x]);
      }
    }
  }
}

// S20: a path A, B, C, D. A neighbour E of B and C goes to C: 1 + 1, and not 1 + 2.
TEST(FlowField, TakesTheCheaperOfTwoNeighboursOnAPath) {
  Case of;
  of.terrain = *terrain_of(
      "...\n"
      ".#.\n");
  of.options.diagonals = Diagonals::none;
  const Layer layer = of.layer();
  const FlowField::Goal path[] = {{{0, 0}, 2 * kStraight}, {{2, 0}, kStraight}};
  FlowField field;
  ASSERT_TRUE(field.build(layer, path));
  EXPECT_EQ(*field.cost({1, 0}), 2u * kStraight) << "1 + 1, and not 1 + 2";
  EXPECT_EQ(field.direction({1, 0}), 0) << "to C";
}

TEST(FlowField, LeavesOutWhatLiesBeyondItsReach) {
  Case of;
  of.terrain = plain(30, 1);
  const Layer layer = of.layer();
  const FlowField::Goal goal{{0, 0}, 0};
  FlowField field;
  ASSERT_TRUE(field.build(layer, {&goal, 1}, 10 * kStraight));
  EXPECT_EQ(field.reached(), 11u);
  EXPECT_TRUE(field.cost({10, 0}));
  EXPECT_FALSE(field.cost({11, 0}));
  EXPECT_EQ(field.direction({11, 0}), kNoDirection);
  EXPECT_FALSE(field.cost({99, 99})) << "beyond the grid";
  Case other;
  other.terrain = *terrain_of(".#");
  const Layer walled = other.layer();
  EXPECT_EQ(field.build(walled, {1, 0}).error(), Errc::bad_goal);
  EXPECT_EQ(field.build(walled, {}, kMaxPathCost).error(), Errc::bad_goal);
}

}  // namespace
}  // namespace starbus::nav::grid::test
