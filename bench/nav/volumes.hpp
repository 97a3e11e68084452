/// A volume of 256 x 256 x 64 voxels with hills below and blocks in the air. Times are processor
/// times of this thread.
#pragma once

namespace starbus::bench::nav {

struct VolumeCosts {
  double build = 0;    ///< ms, of the volume and its octree
  double query = 0;    ///< us, of a way over the volume, in the mean of 100
  double longest = 0;  ///< us, of the longest of them
  double ray = 0;      ///< us, of a straight line
  double door = 0;     ///< us, of a block of 4 x 4 x 4 that comes or goes
  double bytes = 0;    ///< of the octree
};
VolumeCosts volume(int rounds);

}  // namespace starbus::bench::nav
