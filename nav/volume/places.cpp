// Places of a VolumeGround: the nearest one, and any.
#include <algorithm>
#include <array>
#include <cmath>

#include "nav/volume/volume_ground.hpp"

namespace starbus::nav::volume {
namespace {

// splitmix64 (Steele, Lea, Flood 2014), onto [0, bound) by multiplication.
std::uint64_t any_of(std::uint64_t seed, std::uint64_t bound) {
  std::uint64_t z = seed + 0x9e37'79b9'7f4a'7c15;
  z = (z ^ z >> 30) * 0xbf58'476d'1ce4'e5b9;
  z = (z ^ z >> 27) * 0x94d0'49bb'1331'11eb;
  z ^= z >> 31;
  // The high 64 bits of a product, in halves: a volume has fewer than 2^36 voxels.
  const std::uint64_t low = (z & 0xffff'ffff) * bound >> 32;
  return ((z >> 32) * bound + low) >> 32;
}

}  // namespace

Result<Place> VolumeGround::nearest(Point at, Point reach, AgentId agent) const {
  const Layer* const of = layer(agent);
  if (of == nullptr) return Errc::unknown_agent;
  if (!finite(at) || !finite(reach)) return Errc::bad_position;
  const auto voxels = [&](float length) {
    return static_cast<double>(length) / static_cast<double>(frame_.size);
  };
  const auto found =
      of->nearest(frame_.voxels(at), {voxels(reach.x), voxels(reach.y), voxels(reach.z)});
  if (!found) return Errc::bad_start;
  return place_in(*found, at);
}

Result<Place> VolumeGround::random_point(AgentId agent, std::uint64_t seed) const {
  const Layer* const of = layer(agent);
  if (of == nullptr) return Errc::unknown_agent;
  if (of->free_voxels() == 0) return Errc::bad_start;
  std::uint64_t left = any_of(seed, of->free_voxels());
  const SparseOctree& tree = of->tree();
  std::uint32_t chunk = 0;
  for (; left >= tree.free_voxels(chunk); ++chunk) left -= tree.free_voxels(chunk);
  Voxel picked;
  tree.each_block(chunk, [&](const Block& block) {
    const std::uint64_t count = std::uint64_t{1} << 3 * block.level;
    if (left >= count) {
      left -= count;
      return true;
    }
    picked = from_morton(morton(block.low) + left);
    return false;
  });
  return place(picked);
}

Result<Place> VolumeGround::random_point_near(const Place& near, float radius, AgentId agent,
                                              std::uint64_t seed) const {
  if (!std::isfinite(radius) || radius < 0) return Errc::bad_position;
  const auto start = stand(near, agent);
  if (!start) return start.error();
  const double voxels = static_cast<double>(radius) / static_cast<double>(frame_.size);
  if (voxels > kMaxVoxelsAround) return Error(Errc::too_large, "kMaxVoxelsAround");
  const Layer& of = *start->layer;
  const std::uint32_t part = of.part(of.tree().at(start->voxel));
  const auto by = static_cast<std::uint32_t>(std::ceil(voxels));
  const Voxel at = start->voxel;
  const VoxelBox box = VoxelBox{at.x, at.y, at.z, at.x + 1u, at.y + 1u, at.z + 1u}.grown(
      by, columns_.extent().box());
  const auto each = [&](auto&& use) {
    Block block;  // the last one: voxels side by side are often of one
    bool inside = false;
    for (std::uint32_t z = box.z0; z < box.z1; ++z) {
      for (std::uint32_t y = box.y0; y < box.y1; ++y) {
        for (std::uint32_t x = box.x0; x < box.x1; ++x) {
          const auto gap = [](std::uint32_t a, std::uint16_t b) { return double{1} * a - b; };
          const std::array<double, 3> d{gap(x, at.x), gap(y, at.y), gap(z, at.z)};
          if (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] > voxels * voxels) continue;
          const Voxel voxel{static_cast<std::uint16_t>(x), static_cast<std::uint16_t>(y),
                            static_cast<std::uint16_t>(z)};
          if (!inside || !block.box().contains(voxel)) {
            block = of.tree().at(voxel);
            inside = block.value != 0 && of.reaches(part, of.part(block));
          }
          if (inside && !use(voxel)) return;
        }
      }
    }
  };
  std::uint64_t count = 0;
  each([&](Voxel) { return ++count != 0; });
  std::uint64_t left = any_of(seed, count);
  Voxel picked = at;
  each([&](Voxel voxel) {
    picked = voxel;
    return left-- != 0;
  });
  return place(picked);
}

}  // namespace starbus::nav::volume
