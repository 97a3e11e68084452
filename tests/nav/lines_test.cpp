/// Lines over layers, beside a plain computation in steps.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>

#include "nav/grid/cell_search.hpp"
#include "nav/grid/line.hpp"
#include "tests/nav/generators.hpp"

namespace starbus::nav::grid::test {
namespace {

// The cells of the line between the middles of two cells, from all borders that it crosses, each at
// its exact place: sorted fractions of the way. A corner is where two are equal.
bool line_is_free(const Case& of, Cell from, Cell to) {
  const std::int64_t nx = std::abs(to.x - from.x);
  const std::int64_t ny = std::abs(to.y - from.y);
  const int dx = sign(to.x - from.x);
  const int dy = sign(to.y - from.y);
  std::int64_t ix = 0;
  std::int64_t iy = 0;
  Cell at = from;
  while (ix < nx || iy < ny) {
    // The next borders lie at (2 i + 1) / (2 n) of the way.
    const std::int64_t x = ix < nx ? (2 * ix + 1) * std::max<std::int64_t>(ny, 1) : INT64_MAX;
    const std::int64_t y = iy < ny ? (2 * iy + 1) * std::max<std::int64_t>(nx, 1) : INT64_MAX;
    const int step_x = x <= y && ix < nx ? dx : 0;
    const int step_y = y <= x && iy < ny ? dy : 0;
    bool legal = may_move(of, at, step_x, step_y);
    if (!legal && step_x != 0 && step_y != 0 && of.options.diagonals == Diagonals::none) {
      const auto around = [&](int ax, int ay, int bx, int by) {
        if (!may_move(of, at, ax, ay)) return false;
        const Cell side{static_cast<std::uint16_t>(at.x + ax),
                        static_cast<std::uint16_t>(at.y + ay)};
        return may_move(of, side, bx, by);
      };
      legal = around(step_x, 0, 0, step_y) && around(0, step_y, step_x, 0);
    }
    if (!legal) return false;
    at = {static_cast<std::uint16_t>(at.x + step_x), static_cast<std::uint16_t>(at.y + step_y)};
    ix += step_x != 0 ? 1 : 0;
    iy += step_y != 0 ? 1 : 0;
  }
  return true;
}

TEST(Lines, AgreeWithAPlainComputationAndBothWays) {
  EXPECT_TRUE(rc::check("lines", [] {
    const Case of = any_case({.levels = *rc::gen::arbitrary<bool>()});
    const Layer layer = of.layer();
    for (int i = 0; i < 10; ++i) {
      const Cell from = any_cell(of);
      const Cell to = any_cell(of);
      if (!layer.passable(from) || !layer.passable(to)) continue;
      const bool free = line_is_free(of, from, to);
      RC_ASSERT(sees(layer, from, to) == free);
      RC_ASSERT(sees(layer, to, from) == free);
      RC_ASSERT(!follow_line(layer, middle_of(from), middle_of(to)).hit == free);
    }
  }));
}

TEST(Lines, EndInAPassableCellWhereverTheyBegin) {
  EXPECT_TRUE(rc::check("ends", [] {
    const Case of = any_case({});
    const Layer layer = of.layer();
    const Cell cell = any_cell(of);
    RC_PRE(layer.passable(cell));
    const auto within = rc::gen::inRange(0, kFine);
    const FinePoint from{cell.x * kFine + *within, cell.y * kFine + *within};
    const auto anywhere = rc::gen::inRange(-kFine, (static_cast<int>(16) + 1) * kFine);
    const FinePoint to{*anywhere, *anywhere};
    const LineEnd end = follow_line(layer, from, to);
    RC_ASSERT(layer.connected(cell, cell_of(end.at)));
    RC_ASSERT(end.hit == (end.normal_x != 0 || end.normal_y != 0));
    if (!end.hit) RC_ASSERT(end.at == to);
  }));
}

TEST(Lines, SmoothedWaysStayOnTheGroundAndGetNoLonger) {
  EXPECT_TRUE(rc::check("smoothing", [] {
    const Case of = any_case({.areas = *rc::gen::arbitrary<bool>(), .most = 20});
    const Layer layer = of.layer();
    const Cell from = any_cell(of);
    const Cell to = any_cell(of);
    RC_PRE(layer.connected(from, to));
    CellSearch search;
    RC_ASSERT(search.begin(layer, {from, to, Algorithm::a_star}));
    RC_ASSERT(search.advance(~0u));
    std::vector<Cell> path;
    RC_ASSERT(search.path(path));
    const auto length = [](const std::vector<Cell>& cells) {
      double sum = 0;
      for (std::size_t i = 1; i < cells.size(); ++i) {
        sum += std::hypot(cells[i].x - cells[i - 1].x, cells[i].y - cells[i - 1].y);
      }
      return sum;
    };
    std::vector<Cell> corners = path;
    keep_corners(corners);
    RC_ASSERT(std::abs(length(corners) - length(path)) < 1e-9);
    std::vector<Cell> smooth = path;
    keep_sight(layer, smooth);
    RC_ASSERT(smooth.front() == from);
    RC_ASSERT(smooth.back() == to);
    RC_ASSERT(length(smooth) <= length(path) + 1e-9);
    for (std::size_t i = 1; i < smooth.size(); ++i) {
      const bool beside = std::max(std::abs(smooth[i].x - smooth[i - 1].x),
                                   std::abs(smooth[i].y - smooth[i - 1].y)) == 1;
      RC_ASSERT(beside || sees(layer, smooth[i - 1], smooth[i]));
    }
  }));
}

}  // namespace
}  // namespace starbus::nav::grid::test
