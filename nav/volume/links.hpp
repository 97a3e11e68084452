/// Links of a volume: ways between two voxels that no move leads over, one way or both: a portal, a
/// current, a cannon. Links are those that one kind of agent can use, and what they join.
///
/// A layer owns its Links; any number of threads may read while they do not change.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "nav/graph/reach.hpp"
#include "nav/types.hpp"
#include "nav/volume/voxel.hpp"

namespace starbus::nav::volume {

/// A link as the volume has it. Plain value.
struct VoxelLink {
  Voxel from;
  Voxel to;
  std::uint32_t cost = 0;  ///< units on plain ground; 1..kMaxLinkCost; 0: none
  bool both_ways = false;
  Area area = kPlain;  ///< agents that pass it may use it, at so many times the cost
  friend bool operator==(const VoxelLink&, const VoxelLink&) = default;
};

class Links {
 public:
  /// One direction of a link that the agent can use.
  struct Leg {
    Voxel from;
    Voxel to;
    std::uint32_t cost = 0;
    std::uint32_t number = 0;     ///< in the volume's list
    std::uint32_t chunk = 0;      ///< that it begins in
    std::uint32_t from_part = 0;  ///< see Parts
    std::uint32_t to_part = 0;
  };

  /// Takes what can be used now, in the order of the volume's list. `least_cost`: no move costs
  /// less.
  void assign(std::vector<Leg> legs, std::uint32_t least_cost);

  bool empty() const { return legs_.empty(); }
  /// All of them, by the chunk where they begin.
  const std::vector<Leg>& legs() const { return legs_; }
  /// Those that begin in a chunk.
  std::span<const Leg> from(std::uint32_t chunk) const;
  /// Whether a leg costs less than moves between its ends can, so that searches have no estimate.
  bool short_cut() const { return short_cut_; }
  /// Whether links lead from one part to another one.
  bool reaches(std::uint32_t from, std::uint32_t to) const;

 private:
  std::optional<std::uint32_t> node(std::uint32_t part) const;

  std::vector<Leg> legs_;
  std::vector<std::uint32_t> parts_;  ///< in which legs begin or end, sorted
  graph::Reach reach_;
  bool short_cut_ = false;
};

}  // namespace starbus::nav::volume
