/// Fills the columns of a volume from what worlds are made of: boxes, triangles, and grids of
/// heights. Pure functions on columns that the caller owns; one thread. On an error the columns may
/// have been filled in part.
#pragma once

#include <span>

#include "nav/error.hpp"
#include "nav/volume/columns.hpp"
#include "nav/volume/frame.hpp"

namespace starbus::nav::volume {

/// Gives every voxel that a box touches an area. bad_position, too_large.
Result<void> fill_box(Columns& columns, const Frame& frame, const Box& box, Area area = kWall);
/// The same of triangles, three corners each in turn, as surfaces without an inside: every point of
/// a triangle lies in a voxel of the area, up to the rounding of double. What lies beyond the
/// volume is left out. bad_option if the corners are no whole triangles, bad_position, too_large.
Result<void> fill_triangles(Columns& columns, const Frame& frame, std::span<const Point> corners,
                            Area area = kWall);
/// The same of all voxels below the heights of a terrain, in m, one for each column, row by row; a
/// voxel that a height ends in belongs to the ground. bad_option if there are more or fewer,
/// bad_position, too_large.
Result<void> fill_heights(Columns& columns, const Frame& frame, std::span<const float> heights,
                          Area area = kWall);

}  // namespace starbus::nav::volume
