/// Texts of the MovingAI benchmarks.
#include <gtest/gtest.h>

#include <cmath>

#include "nav/formats/moving_ai.hpp"
#include "nav/grid/cell_search.hpp"

namespace starbus::nav::formats::test {
namespace {

constexpr std::string_view kMap =
    "type octile\r\n"
    "height 3\r\n"
    "width 4\r\n"
    "map\r\n"
    ".G@O\r\n"
    "T..S\r\n"
    "W...\r\n";

TEST(MovingAi, ReadsAMap) {
  const auto terrain = read_map(kMap);
  ASSERT_TRUE(terrain);
  EXPECT_EQ(terrain->width, 4u);
  EXPECT_EQ(terrain->height, 3u);
  const std::vector<Area> expected{1, 1, 0, 0, 0, 1, 1, kSwamp, kWater, 1, 1, 1};
  EXPECT_EQ(terrain->areas, expected);
  const auto again = read_map(write_map(*terrain));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->areas, expected);
}

TEST(MovingAi, ReadsScenariosWhoseLengthsItsSearchesFind) {
  const auto terrain = read_map(
      "type octile\nheight 3\nwidth 4\nmap\n"
      "....\n"
      ".@..\n"
      "....\n");
  const auto scenarios = read_scenarios(
      "version 1.0\n"
      "0\tsmall.map\t4\t3\t0\t0\t3\t2\t5.00000000\n"
      "1 small.map 4 3 2 0 3 2 2.41421356\n"
      "\n");
  ASSERT_TRUE(scenarios);
  ASSERT_EQ(scenarios->size(), 2u);
  EXPECT_EQ((*scenarios)[0].map, "small.map");
  EXPECT_EQ((*scenarios)[1].bucket, 1u);
  const grid::Layer layer(*terrain, {});
  grid::CellSearch search;
  const auto length = [&](const Scenario& one) {
    EXPECT_TRUE(search.begin(layer, {one.from, one.to}));
    EXPECT_TRUE(*search.advance(~0u));
    return static_cast<double>(search.cost()) / grid::kStraight;
  };
  EXPECT_NEAR(length((*scenarios)[1]), (*scenarios)[1].length, 1e-5);
  EXPECT_NEAR(length((*scenarios)[0]), 2 + 1 + std::sqrt(2.0), 1e-5)
      << "no corner of the wall is cut";
}

TEST(MovingAi, SaysInWhichLineATextIsWrong) {
  const auto wrong = [](std::string_view text) { return read_map(text).error().detail; };
  EXPECT_EQ(read_map("").error(), Errc::corrupt);
  EXPECT_EQ(wrong("type tile\n"), "line 1: \"type octile\" expected");
  EXPECT_EQ(wrong("type octile\nwidth 3\n"), "line 2: height expected");
  EXPECT_EQ(wrong("type octile\nheight -3\n"), "line 2: not a size");
  EXPECT_EQ(wrong("type octile\nheight 1\nwidth 2\nmap\n.\n"),
            "line 5: not as many cells as the width");
  EXPECT_EQ(wrong("type octile\nheight 1\nwidth 2\nmap\n.x\n"), "line 5: unknown sign");
  EXPECT_EQ(wrong("type octile\nheight 1\nwidth 1\nmap\n.\n.\n"),
            "line 6: more lines than the height");
  EXPECT_EQ(read_map("type octile\nheight 1\nwidth 99999\n").error(), Errc::too_large);
  EXPECT_EQ(read_map("type octile\nheight 16000\nwidth 16000\n").error(), Errc::too_large);
  const auto rows = [](std::string_view text) { return read_scenarios(text).error(); };
  EXPECT_EQ(rows("version 2\n"), Errc::corrupt);
  EXPECT_EQ(rows("version 1\n0 m 1 1 0 0 0 0\n").detail, "line 2: nine fields expected");
  EXPECT_EQ(rows("version 1\n0 m 1 1 0 0 0 99999 0\n"), Errc::corrupt);
  EXPECT_EQ(rows("version 1\n0 m 1 1 0 0 0 0 nan\n"), Errc::corrupt);
}

}  // namespace
}  // namespace starbus::nav::formats::test
