/// Trails: who was where and when, as lines of JSON: {"id": "wolf-3", "t": 0.5, "x": 1, "y": 2},
/// with "z" if it is not 0. Times are seconds; those of one id may not go back. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "nav/error.hpp"
#include "nav/types.hpp"

namespace starbus::nav_tool {

struct TrailPoint {
  double t = 0;  ///< s
  nav::Point at;
};
struct Trail {
  std::string id;
  std::vector<TrailPoint> points;
};

/// All trails, in the order in which their ids come first. corrupt with the line; too_large.
nav::Result<std::vector<Trail>> read_trails(std::string_view text);

}  // namespace starbus::nav_tool
