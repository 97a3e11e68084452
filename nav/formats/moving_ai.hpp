/// Maps and scenarios of the MovingAI benchmarks (https://movingai.com/benchmarks/formats.html):
/// what path finders are compared on. Reads text that was loaded by the caller; a text that is not
/// what the format says is `corrupt`, with the line. Pure functions; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "nav/error.hpp"
#include "nav/grid/terrain.hpp"

namespace starbus::nav::formats {

/// Areas of what these maps have: ground is kPlain, and what cannot be walked on kWall.
inline constexpr Area kSwamp = 2;  ///< S: joined to ground
inline constexpr Area kWater = 3;  ///< W: joined to itself alone

/// One row of a scenario: a way to look for, and how long it is.
struct Scenario {
  std::uint32_t bucket = 0;
  std::string map;
  std::uint32_t width = 0;  ///< cells, of the map that it is for
  std::uint32_t height = 0;
  grid::Cell from;
  grid::Cell to;
  double length = 0;  ///< sides of a cell; diagonal moves past no corner
  friend bool operator==(const Scenario&, const Scenario&) = default;
};

/// A map of "type octile". corrupt; too_large with the limit's name.
Result<grid::Terrain> read_map(std::string_view text);
/// The same as text; every area above kWater is written as ground.
std::string write_map(const grid::Terrain& terrain);
/// A file of scenarios of version 1. corrupt, too_large, too_many.
Result<std::vector<Scenario>> read_scenarios(std::string_view text);

}  // namespace starbus::nav::formats
