/// Layer: a volume as one kind of agent finds it: an octree of what it can enter, what can be
/// reached from where, and the links that it can use. All searches read a layer.
///
/// Owns its tables. Whatever is not const is for the owner's thread while no other one reads.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "nav/agent.hpp"
#include "nav/error.hpp"
#include "nav/volume/clearance.hpp"
#include "nav/volume/links.hpp"
#include "nav/volume/parts.hpp"
#include "nav/volume/sparse_octree.hpp"

namespace starbus::nav::volume {

class Layer {
 public:
  /// `radius` in voxels. The columns and the links must outlive it. too_large.
  static Result<std::unique_ptr<Layer>> create(const Columns& columns,
                                               const std::vector<VoxelLink>& links,
                                               const Agent& agent, const Areas& areas,
                                               double radius);

  /// The areas of these voxels have changed. too_large: then parts of it are empty, until a refresh
  /// of the same voxels succeeds.
  Result<void> refresh(const VoxelBox& changed);
  /// The links have changed.
  void refresh_links();

  const Agent& agent() const { return agent_; }
  /// Rises with every refresh() and refresh_links().
  std::uint64_t version() const { return version_; }
  const SparseOctree& tree() const { return tree_; }
  const Links& links() const { return links_; }
  const Parts& parts() const { return parts_; }
  /// The least that any voxel can cost.
  std::uint32_t least_cost() const { return least_cost_; }
  /// How many voxels the agent can enter.
  std::uint64_t free_voxels() const { return free_; }
  /// Chunks that were built since it was made, for tests of what changes cost.
  std::uint64_t built() const { return built_; }

  /// Whether the agent can be there; false beyond the volume.
  bool free(Voxel voxel) const { return tree_.cost(voxel) != 0; }
  /// The part of a cube that the agent can enter.
  std::uint32_t part(const Block& block) const {
    return parts_.of(tree_.chunks().index(block.low), block.label);
  }
  /// Whether a way leads from one part to another one.
  bool reaches(std::uint32_t from, std::uint32_t to) const {
    return from == to || (!links_.empty() && links_.reaches(from, to));
  }
  /// Whether a way leads from one voxel to the other; false if the agent cannot be at either.
  bool connected(Voxel from, Voxel to) const;

  /// The voxel that can be entered and is nearest to a point, both in voxels; at most `reach` away
  /// along each axis: the one that the point lies in, else the lowest number among equals. With
  /// `from`, only what can be reached from that part.
  std::optional<Voxel> nearest(const std::array<double, 3>& at, const std::array<double, 3>& reach,
                               std::optional<std::uint32_t> from = std::nullopt) const;

 private:
  Layer(const Columns& columns, const std::vector<VoxelLink>& links, const Agent& agent,
        const Areas& areas, double radius);

  const Columns& columns_;
  const std::vector<VoxelLink>& all_links_;
  Agent agent_;
  Body body_;
  std::uint32_t least_cost_;
  std::uint64_t version_ = 0;
  std::uint64_t free_ = 0;
  std::uint64_t built_ = 0;
  SparseOctree tree_;
  Parts parts_;
  Links links_;
  ChunkValues values_;                  ///< scratch of refresh
  std::vector<std::uint32_t> touched_;  ///< likewise
};

}  // namespace starbus::nav::volume
