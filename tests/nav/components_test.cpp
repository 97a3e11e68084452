/// Components, and layers that change: after any changes everything is as in a layer that was made
/// of the changed terrain.
#include "nav/grid/components.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>

#include "nav/grid/cell_search.hpp"
#include "tests/nav/generators.hpp"

namespace starbus::nav::grid::test {
namespace {

// Both name the same sets, whatever the names are.
bool same_components(const Layer& a, const Layer& b) {
  std::map<std::uint32_t, std::uint32_t> to_b;
  std::map<std::uint32_t, std::uint32_t> to_a;
  for (std::uint16_t y = 0; y < a.layout().height; ++y) {
    for (std::uint16_t x = 0; x < a.layout().width; ++x) {
      const std::uint32_t one = a.component({x, y});
      const std::uint32_t other = b.component({x, y});
      if ((one == 0) != (other == 0)) return false;
      if (to_b.try_emplace(one, other).first->second != other) return false;
      if (to_a.try_emplace(other, one).first->second != one) return false;
    }
  }
  return true;
}

bool same_tables(const Layer& a, const Layer& b) {
  if (a.uniform() != b.uniform() || a.passable_count() != b.passable_count()) return false;
  for (std::uint16_t y = 0; y < a.layout().height; ++y) {
    if (a.passable_in_row(y) != b.passable_in_row(y)) return false;
    for (std::uint16_t x = 0; x < a.layout().width; ++x) {
      const std::uint32_t index = a.layout().index(Cell{x, y});
      if (a.passable({x, y}) != b.passable({x, y})) return false;
      if (a.moves()[index] != b.moves()[index] || a.around()[index] != b.around()[index]) {
        return false;
      }
      if (a.rows().blocked(y, x) != b.rows().blocked(y, x)) return false;
      if (a.columns().blocked(x, y) != b.columns().blocked(x, y)) return false;
    }
  }
  return true;
}

TEST(Components, StayRightThroughAnyChanges) {
  EXPECT_TRUE(rc::check("changes", [] {
    Case of = any_case({.areas = true, .levels = *rc::gen::arbitrary<bool>(), .margin = true});
    Layer layer = of.layer();
    const auto steps = *rc::gen::inRange(1, 12);
    for (int step = 0; step < steps; ++step) {
      const Cell low = any_cell(of);
      const std::uint32_t wide = *rc::gen::inRange<std::uint32_t>(1, 4);
      const CellBox box{low.x, low.y, std::min<std::uint32_t>(low.x + wide, of.terrain.width),
                        std::min<std::uint32_t>(low.y + wide, of.terrain.height)};
      const Area area = *rc::gen::element(Area{kPlain}, Area{kWall}, Area{2});
      for (std::uint32_t y = box.y0; y < box.y1; ++y) {
        for (std::uint32_t x = box.x0; x < box.x1; ++x) {
          of.terrain.areas[std::size_t{y} * of.terrain.width + x] = area;
        }
      }
      layer.refresh(box);
      const Layer fresh = of.layer();
      RC_ASSERT(same_tables(layer, fresh));
      RC_ASSERT(same_components(layer, fresh));
    }
  }));
}

TEST(Components, ADoorCostsNoMoreThanItsRoom) {
  Case of;
  of.terrain = plain(300, 300);
  for (std::uint32_t i = 0; i < 300; ++i) {  // a room of 10 x 10 in a corner, with a door
    if (i <= 10) of.terrain.areas[i * 300 + 10] = of.terrain.areas[10 * 300 + i] = kWall;
  }
  of.terrain.areas[5 * 300 + 10] = kPlain;
  Layer layer = of.layer();
  ASSERT_TRUE(layer.connected({0, 0}, {200, 200}));
  for (int i = 0; i < 5; ++i) {
    of.terrain.areas[5 * 300 + 10] = kWall;
    const std::uint64_t before = layer.components().flooded();
    layer.refresh({10, 5, 11, 6});
    EXPECT_FALSE(layer.connected({0, 0}, {200, 200}));
    EXPECT_LE(layer.components().flooded() - before, 4u * 100 + 4)
        << "four floods of which the room's ends first";
    of.terrain.areas[5 * 300 + 10] = kPlain;
    layer.refresh({10, 5, 11, 6});
    EXPECT_TRUE(layer.connected({0, 0}, {200, 200}));
  }
}

// S6: a wall across the map; the answer takes no search.
TEST(Components, AnswerUnreachableWithoutASearch) {
  Case of;
  of.terrain = plain(50, 50);
  for (std::uint32_t y = 0; y < 50; ++y) of.terrain.areas[y * 50 + 25] = kWall;
  const Layer layer = of.layer();
  CellSearch search;
  ASSERT_TRUE(search.begin(layer, {{0, 0}, {20, 20}}));
  ASSERT_TRUE(search.advance(~0u));
  ASSERT_GT(search.expanded(), 0u);
  EXPECT_EQ(search.begin(layer, {{0, 0}, {49, 0}}).error(), Errc::unreachable);
  EXPECT_EQ(search.expanded(), 0u);
}

// S6: 10^6 cells, in one spiral, so that the flood is as deep as it can be.
TEST(Components, LabelAMillionCells) {
  Case of;
  of.terrain = plain(1'000, 1'000);
  for (std::uint32_t y = 1; y < 1'000; y += 2) {
    for (std::uint32_t x = 0; x < 1'000; ++x) {
      if (x != (y % 4 == 1 ? 999u : 0u)) of.terrain.areas[y * 1'000 + x] = kWall;
    }
  }
  const Layer layer = of.layer();
  EXPECT_TRUE(layer.connected({0, 0}, {0, 998}));
  EXPECT_EQ(layer.passable_count(), 500u * 1'000 + 500);
}

// Labels that nothing has any more are thrown away in the end.
TEST(Components, ReuseNamesAfterManyChanges) {
  Case of;
  of.terrain = plain(9, 3);
  Layer layer = of.layer();
  for (int i = 0; i < 5'000; ++i) {
    for (std::uint32_t y = 0; y < 3; ++y) {
      of.terrain.areas[y * 9 + 4] = i % 2 == 0 ? kWall : kPlain;
    }
    layer.refresh({4, 0, 5, 3});
    ASSERT_EQ(layer.connected({0, 0}, {8, 0}), i % 2 != 0);
    ASSERT_LT(layer.component({0, 0}), 2'000u);
  }
}

}  // namespace
}  // namespace starbus::nav::grid::test
