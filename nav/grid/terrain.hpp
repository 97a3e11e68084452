/// What the cells of a grid are like, for everybody: areas, and heights. Row by row from cell
/// (0, 0). Plain values; check says whether they fit together.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "nav/agent.hpp"
#include "nav/error.hpp"
#include "nav/grid/cell.hpp"
#include "nav/types.hpp"

namespace starbus::nav::grid {

struct Terrain {
  std::uint32_t width = 0;         ///< cells
  std::uint32_t height = 0;        ///< cells
  std::vector<Area> areas;         ///< width * height
  std::vector<float> levels = {};  ///< m, likewise; empty: flat, at 0

  /// Of a cell, which must be one of these.
  Area area(Cell cell) const { return areas[std::size_t{cell.y} * width + cell.x]; }
  /// Likewise, in m.
  float level(Cell cell) const {
    return levels.empty() ? 0 : levels[std::size_t{cell.y} * width + cell.x];
  }
};

/// Flat ground of one area.
Terrain plain(std::uint32_t width, std::uint32_t height, Area area = kPlain);
/// Of lines of equal length, '.' for kPlain, '#' for kWall and '1'..'9' for areas. bad_option for
/// anything else.
Result<Terrain> terrain_of(std::string_view picture);
/// too_large with the limit's name, bad_option if sizes do not agree or a level is not a number.
Result<void> check(const Terrain& terrain);

}  // namespace starbus::nav::grid
