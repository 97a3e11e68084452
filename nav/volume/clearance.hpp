/// What the voxels of a chunk cost a kind of agent, by areas and by its radius: a voxel that it
/// can enter keeps all of the agent, wherever in the voxel it is, out of what it cannot pass.
/// Inflates solids by whole voxels, towards the safe side. Plain values and a function that reads
/// columns.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "nav/agent.hpp"
#include "nav/volume/chunk.hpp"

namespace starbus::nav::volume {

/// A kind of agent in voxels.
struct Body {
  std::array<std::uint8_t, kMaxArea + 1> costs = {};  ///< by area; 0: it does not pass
  /// The voxels around one that it keeps free: a column of them by its numbers relative to the
  /// voxel, and how far it reaches up and down. Empty for an agent without a radius.
  struct Offset {
    int x;
    int y;
    int up;
  };
  std::vector<Offset> around;
  std::uint32_t reach = 0;  ///< the longest of them along an axis

  Body() = default;
  /// `radius` in voxels.
  Body(const Agent& agent, const Areas& areas, double radius);
  /// The least that any area costs; 1 if it passes none.
  std::uint32_t least_cost() const;
};

/// Writes the values of a chunk; 0 for what the agent cannot enter: it lies beyond the volume, is
/// not passed, or is closer than the radius to such voxels, the border among them.
/// Returns the value itself if it is one and that was cheap to see; then nothing is written.
std::optional<std::uint8_t> read_costs(const Columns& columns, const Body& body, Voxel low,
                                       ChunkValues& out);

}  // namespace starbus::nav::volume
