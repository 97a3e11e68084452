/// What the cells of a grid are like, for everybody: areas, heights, and links between them. Row by
/// row from cell (0, 0). Plain values; check says whether they fit together.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "nav/agent.hpp"
#include "nav/error.hpp"
#include "nav/grid/cell.hpp"
#include "nav/grid/links.hpp"
#include "nav/types.hpp"

namespace starbus::nav::grid {

struct Terrain {
  std::uint32_t width = 0;         ///< cells
  std::uint32_t height = 0;        ///< cells
  std::vector<Area> areas;         ///< width * height
  std::vector<float> levels = {};  ///< m, likewise; empty: flat, at 0
  std::vector<CellLink> links = {};

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
/// too_large with the limit's name, bad_option if sizes do not agree or a level is not a number;
/// what check_link says of its links; too_many.
Result<void> check(const Terrain& terrain);
/// bad_option if an end of a link is no cell of the terrain, if both ends are the same, or if it
/// costs nothing; too_large for its cost or its area.
Result<void> check_link(const Terrain& terrain, const CellLink& link);

}  // namespace starbus::nav::grid
