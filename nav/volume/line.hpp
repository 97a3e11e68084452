/// Straight lines through a layer, voxel by voxel (Amanatides and Woo 1987), in whole numbers: a
/// line through an edge goes through it on every machine, and back as forth. Where it passes an
/// edge or a corner of voxels, all those around it must be free. Pure functions; any thread.
#pragma once

#include <array>
#include <vector>

#include "nav/volume/frame.hpp"
#include "nav/volume/layer.hpp"

namespace starbus::nav::volume {

/// Where a line ends.
struct LineEnd {
  FinePoint at;                    ///< the goal, or the last point before what is in the way
  bool hit = false;                ///< something is in the way
  std::array<int, 3> normal = {};  ///< the side that was hit, seen from it; several at an edge
};

/// From one point of a volume, which must lie in a free voxel, towards another, which may lie a
/// voxel beyond it.
LineEnd follow_line(const SparseOctree& tree, const FinePoint& from, const FinePoint& to);
/// Where a small move from one point towards another ends: along what is in the way.
FinePoint slide(const SparseOctree& tree, const FinePoint& from, const FinePoint& to);
/// Whether the line between two points is free and all its voxels cost the same.
bool sees(const SparseOctree& tree, const FinePoint& from, const FinePoint& to);

/// Leaves out the voxels of a way between which it does not turn.
void keep_corners(std::vector<Voxel>& way);
/// Leaves out the voxels of a way that a free line over equal costs can replace. The way between
/// two voxels that stand next to each other in it must be such a line already.
void keep_sight(const SparseOctree& tree, std::vector<Voxel>& way);

}  // namespace starbus::nav::volume
