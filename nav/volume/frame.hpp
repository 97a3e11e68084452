/// Frame: where a volume lies in the world, and points of it in 1/256 of a voxel's side, so that
/// lines are computed in whole numbers. Sums in double, the same everywhere. Plain values.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "nav/types.hpp"
#include "nav/volume/voxel.hpp"

namespace starbus::nav::volume {

inline constexpr std::int32_t kFine = 256;  ///< per side of a voxel

/// A point of a volume in 1/256 of a voxel's side; x, y, z.
struct FinePoint {
  std::array<std::int32_t, 3> at = {};
  friend bool operator==(const FinePoint&, const FinePoint&) = default;
};

/// The middle of a voxel; the voxel of a point that lies in the volume.
constexpr FinePoint middle_of(Voxel voxel) {
  const auto one = [](std::int32_t number) { return number * kFine + kFine / 2; };
  return {{one(voxel.x), one(voxel.y), one(voxel.z)}};
}
constexpr Voxel voxel_of(const FinePoint& point) {
  const auto one = [](std::int32_t at) { return static_cast<std::uint16_t>(at / kFine); };
  return {one(point.at[0]), one(point.at[1]), one(point.at[2])};
}

struct Frame {
  Point origin;    ///< the lowest corner of voxel (0, 0, 0)
  float size = 1;  ///< m, the side of a voxel
  Extent extent = {};

  /// A coordinate in voxels.
  double along(float at, float from) const {
    return (static_cast<double>(at) - static_cast<double>(from)) / static_cast<double>(size);
  }
  std::array<double, 3> voxels(Point at) const {
    return {along(at.x, origin.x), along(at.y, origin.y), along(at.z, origin.z)};
  }
  /// Whether a point lies in the volume.
  bool contains(Point at) const {
    const auto in = voxels(at);
    return in[0] >= 0 && in[1] >= 0 && in[2] >= 0 && in[0] < extent.x && in[1] < extent.y &&
           in[2] < extent.z;
  }
  /// A point, at most a voxel beyond the volume.
  FinePoint fine(Point at) const {
    const auto in = voxels(at);
    const auto one = [](double voxels, std::uint32_t count) {
      const double within = std::clamp(voxels, -1.0, static_cast<double>(count) + 1.0);
      return static_cast<std::int32_t>(std::floor(within * kFine));
    };
    return {{one(in[0], extent.x), one(in[1], extent.y), one(in[2], extent.z)}};
  }
  /// The same within a voxel.
  FinePoint fine_within(Point at, Voxel voxel) const {
    const FinePoint of = fine(at);
    const auto one = [](std::int32_t value, std::int32_t number) {
      return std::clamp(value, number * kFine, number * kFine + kFine - 1);
    };
    return {{one(of.at[0], voxel.x), one(of.at[1], voxel.y), one(of.at[2], voxel.z)}};
  }
  /// Back to the world.
  Point point(const FinePoint& fine) const {
    const auto one = [&](std::int32_t value, float from) {
      // Half a unit on, so that rounding does not lead to the voxel before.
      const double voxels = (value + 0.5) / kFine;
      return static_cast<float>(static_cast<double>(from) + voxels * static_cast<double>(size));
    };
    return {one(fine.at[0], origin.x), one(fine.at[1], origin.y), one(fine.at[2], origin.z)};
  }
  /// The middle of a voxel.
  Point middle(Voxel voxel) const {
    const auto one = [&](std::uint32_t number, float from) {
      return static_cast<float>(static_cast<double>(from) +
                                (number + 0.5) * static_cast<double>(size));
    };
    return {one(voxel.x, origin.x), one(voxel.y, origin.y), one(voxel.z, origin.z)};
  }
  /// The voxels that a box touches; one that it touches with its high border only does not count.
  VoxelBox box(const Box& box) const {
    const auto low = voxels(box.low);
    const auto high = voxels(box.high);
    const auto begin = [](double at, std::uint32_t count) {
      return static_cast<std::uint32_t>(std::clamp(std::floor(at), 0.0, double{1} * count));
    };
    const auto end = [](double from, double to, std::uint32_t count) {
      const double past = std::max(std::ceil(to), std::floor(from) + 1);
      return static_cast<std::uint32_t>(std::clamp(past, 0.0, double{1} * count));
    };
    return {begin(low[0], extent.x),        begin(low[1], extent.y),
            begin(low[2], extent.z),        end(low[0], high[0], extent.x),
            end(low[1], high[1], extent.y), end(low[2], high[2], extent.z)};
  }
  /// The corners of the volume.
  Box bounds() const {
    const auto far = [&](float from, std::uint32_t count) {
      return static_cast<float>(static_cast<double>(from) +
                                static_cast<double>(size) * static_cast<double>(count));
    };
    return {origin, {far(origin.x, extent.x), far(origin.y, extent.y), far(origin.z, extent.z)}};
  }
};

}  // namespace starbus::nav::volume
