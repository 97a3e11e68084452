/// Walls of a layer around a point: borders that no move along a side crosses. Pure functions; any
/// thread.
#pragma once

#include <cstddef>
#include <span>

#include "nav/grid/frame.hpp"
#include "nav/grid/layer.hpp"
#include "nav/ground.hpp"

namespace starbus::nav::grid {

/// As Ground::walls_near; `cell` is that of `at`, and passable.
std::size_t find_walls(const Layer& layer, const Frame& frame, Cell cell, Point at, float range,
                       std::span<Wall> out);

}  // namespace starbus::nav::grid
