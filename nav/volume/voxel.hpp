/// Voxels: equal cubes by their numbers along each axis, z upwards; boxes of them, and keys by
/// which cubes of an octree are found without pointers. Plain values.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <cstdlib>

#include "nav/types.hpp"

namespace starbus::nav::volume {

/// A voxel by its numbers, from 0.
struct Voxel {
  std::uint16_t x = 0;
  std::uint16_t y = 0;
  std::uint16_t z = 0;
  friend constexpr auto operator<=>(const Voxel&, const Voxel&) = default;
};

/// How many moves along axes separate two voxels.
constexpr std::uint32_t distance(Voxel a, Voxel b) {
  const auto gap = [](int from, int to) { return static_cast<std::uint32_t>(std::abs(from - to)); };
  return gap(a.x, b.x) + gap(a.y, b.y) + gap(a.z, b.z);
}

/// The faces of a cube: +x, +y, -x, -y, +z, -z.
using Face = std::uint8_t;
inline constexpr Face kFaces = 6;
inline constexpr std::array<int, kFaces> kFaceX{1, 0, -1, 0, 0, 0};
inline constexpr std::array<int, kFaces> kFaceY{0, 1, 0, -1, 0, 0};
inline constexpr std::array<int, kFaces> kFaceZ{0, 0, 0, 0, 1, -1};

/// Voxels [x0, x1) x [y0, y1) x [z0, z1).
struct VoxelBox {
  std::uint32_t x0 = 0;
  std::uint32_t y0 = 0;
  std::uint32_t z0 = 0;
  std::uint32_t x1 = 0;
  std::uint32_t y1 = 0;
  std::uint32_t z1 = 0;

  constexpr bool empty() const { return x0 >= x1 || y0 >= y1 || z0 >= z1; }
  /// Whether a voxel is one of it.
  constexpr bool contains(Voxel at) const {
    return at.x >= x0 && at.x < x1 && at.y >= y0 && at.y < y1 && at.z >= z0 && at.z < z1;
  }
  /// What both have; may be empty.
  constexpr VoxelBox intersection(const VoxelBox& other) const {
    return {std::max(x0, other.x0), std::max(y0, other.y0), std::max(z0, other.z0),
            std::min(x1, other.x1), std::min(y1, other.y1), std::min(z1, other.z1)};
  }
  /// Larger by so many voxels on each side, within another one that begins at 0.
  constexpr VoxelBox grown(std::uint32_t by, const VoxelBox& within) const {
    const auto low = [by](std::uint32_t at) { return at > by ? at - by : 0; };
    return {low(x0),
            low(y0),
            low(z0),
            std::min(x1 + by, within.x1),
            std::min(y1 + by, within.y1),
            std::min(z1 + by, within.z1)};
  }
  /// The voxel of it that is nearest to another one; it may not be empty. Also the first one of it
  /// on a shortest way, by moves along axes, to any of it: boxes have such a gate for each voxel.
  constexpr Voxel gate(Voxel from) const {
    const auto clamp = [](std::uint16_t at, std::uint32_t low, std::uint32_t high) {
      return static_cast<std::uint16_t>(std::clamp<std::uint32_t>(at, low, high - 1));
    };
    return {clamp(from.x, x0, x1), clamp(from.y, y0, y1), clamp(from.z, z0, z1)};
  }
  friend bool operator==(const VoxelBox&, const VoxelBox&) = default;
};

/// How many voxels a volume has along each axis.
struct Extent {
  std::uint32_t x = 0;
  std::uint32_t y = 0;
  std::uint32_t z = 0;

  constexpr std::uint64_t columns() const { return std::uint64_t{x} * y; }
  constexpr std::uint64_t voxels() const { return columns() * z; }
  constexpr bool contains(Voxel at) const { return at.x < x && at.y < y && at.z < z; }
  constexpr VoxelBox box() const { return {0, 0, 0, x, y, z}; }
  /// The number of a voxel, layer by layer from below, and row by row.
  constexpr std::uint64_t index(Voxel at) const {
    return (std::uint64_t{at.z} * y + at.y) * x + at.x;
  }
  constexpr Voxel voxel(std::uint64_t index) const {
    return {static_cast<std::uint16_t>(index % x), static_cast<std::uint16_t>(index / x % y),
            static_cast<std::uint16_t>(index / columns())};
  }
  friend bool operator==(const Extent&, const Extent&) = default;
};

/// A cube of 2^level voxels a side, all of one value. Its low corner is a multiple of its side.
struct Block {
  Voxel low;
  std::uint8_t level = 0;
  std::uint8_t value = 0;   ///< its owner says of what
  std::uint32_t label = 0;  ///< likewise

  constexpr std::uint32_t side() const { return std::uint32_t{1} << level; }
  constexpr VoxelBox box() const {
    return {low.x, low.y, low.z, low.x + side(), low.y + side(), low.z + side()};
  }
};

namespace detail {
constexpr std::uint64_t spread(std::uint64_t bits) {
  bits = (bits | bits << 32) & 0x001f'0000'0000'ffff;
  bits = (bits | bits << 16) & 0x001f'0000'ff00'00ff;
  bits = (bits | bits << 8) & 0x100f'00f0'0f00'f00f;
  bits = (bits | bits << 4) & 0x10c3'0c30'c30c'30c3;
  return (bits | bits << 2) & 0x1249'2492'4924'9249;
}
constexpr std::uint16_t gather(std::uint64_t bits) {
  bits &= 0x1249'2492'4924'9249;
  bits = (bits | bits >> 2) & 0x10c3'0c30'c30c'30c3;
  bits = (bits | bits >> 4) & 0x100f'00f0'0f00'f00f;
  bits = (bits | bits >> 8) & 0x001f'0000'ff00'00ff;
  bits = (bits | bits >> 16) & 0x001f'0000'0000'ffff;
  return static_cast<std::uint16_t>(bits | bits >> 32);
}
}  // namespace detail

/// The bits of x, y and z in turns, of x first (Morton 1966): the order of an octree's leaves, in
/// which the leaves of each of its cubes stand side by side.
constexpr std::uint64_t morton(Voxel at) {
  return detail::spread(at.x) << 2 | detail::spread(at.y) << 1 | detail::spread(at.z);
}
constexpr Voxel from_morton(std::uint64_t key) {
  return {detail::gather(key >> 2), detail::gather(key >> 1), detail::gather(key)};
}

}  // namespace starbus::nav::volume
