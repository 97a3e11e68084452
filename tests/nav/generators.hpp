/// Random maps that shrink: cells become plain ground, walls last.
#pragma once

#include <rapidcheck.h>

#include "tests/nav/reference.hpp"

namespace starbus::nav::grid::test {

/// What a map may have.
struct Taste {
  bool areas = false;       ///< some cells cost more
  bool levels = false;      ///< heights
  bool margin = false;      ///< wide agents
  std::uint32_t most = 16;  ///< cells a side
};

inline Case any_case(const Taste& taste) {
  Case of;
  const auto side = rc::gen::inRange<std::uint32_t>(1, taste.most + 1);
  of.terrain.width = *side;
  of.terrain.height = *side;
  const std::size_t cells = std::size_t{of.terrain.width} * of.terrain.height;
  const auto area = taste.areas ? rc::gen::weightedElement<Area>({{5, 1}, {2, 2}, {2, 3}, {3, 0}})
                                : rc::gen::weightedElement<Area>({{7, 1}, {3, 0}});
  of.terrain.areas = *rc::gen::container<std::vector<Area>>(cells, area);
  if (taste.levels) {
    of.terrain.levels = *rc::gen::container<std::vector<float>>(
        cells, rc::gen::element<float>(0, 0, 0, 0.75F, 1.5F));
  }
  if (taste.margin) of.options.margin = *rc::gen::inRange<std::uint32_t>(0, 3);
  of.options.diagonals =
      *rc::gen::element(Diagonals::no_cut, Diagonals::none, Diagonals::one_side, Diagonals::cut);
  if (taste.areas) {
    of.options.agent.costs[2] = 3;
    of.options.agent.costs[3] = 7;
  }
  return of;
}

inline Cell any_cell(const Case& of) {
  return {static_cast<std::uint16_t>(*rc::gen::inRange<std::uint32_t>(0, of.terrain.width)),
          static_cast<std::uint16_t>(*rc::gen::inRange<std::uint32_t>(0, of.terrain.height))};
}

}  // namespace starbus::nav::grid::test
