/// VolumeSearch: the Search of a VolumeGround; see there. Its voxels become points here.
#pragma once

#include <vector>

#include "nav/volume/block_search.hpp"
#include "nav/volume/volume_ground.hpp"

namespace starbus::nav::volume {

/// One thread at a time.
class VolumeSearch final : public Search {
 public:
  explicit VolumeSearch(const VolumeGround& ground) : ground_(ground) {}

  Result<void> begin(const PathRequest& request) override;
  Result<bool> advance(std::uint32_t budget) override;
  Result<void> path(Path& out) override;
  void looked_at(std::vector<std::uint64_t>& out) const override;

 private:
  void smooth(std::vector<Voxel>& way) const;
  void smooth_between_links();
  void write_points(Path& out) const;

  const VolumeGround& ground_;
  PathRequest request_;
  BlockSearch search_;
  std::vector<Voxel> way_;
  std::vector<VoxelStep> links_;
  std::vector<Voxel> part_;  ///< scratch of smooth_between_links
  std::vector<Voxel> smoothed_;
  mutable std::vector<Voxel> moves_;  ///< scratch of smooth
  bool begun_ = false;
};

}  // namespace starbus::nav::volume
