#include "nav/volume/linear_octree.hpp"

#include <algorithm>
#include <bit>

#include "nav/volume/chunk.hpp"
#include "nav/volume/limits.hpp"

namespace starbus::nav::volume {
namespace {

constexpr std::uint64_t packed(std::uint64_t key, std::uint8_t level, Area area) {
  return key << 16 | std::uint64_t{level} << 8 | area;
}
constexpr std::uint64_t key_of(std::uint64_t leaf) {
  return leaf >> 16;
}
constexpr std::uint8_t level_of(std::uint64_t leaf) {
  return static_cast<std::uint8_t>(leaf >> 8);
}
// Voxels of a cube.
constexpr std::uint64_t volume_of(std::uint8_t level) {
  return std::uint64_t{1} << 3 * level;
}

Voxel child_of(Voxel low, std::uint8_t level, std::uint32_t child) {
  const std::uint32_t half = 1u << (level - 1);
  const auto one = [&](std::uint16_t at, std::uint32_t bit) {
    return static_cast<std::uint16_t>(at + (bit != 0 ? half : 0));
  };
  return {one(low.x, child & 4), one(low.y, child & 2), one(low.z, child & 1)};
}

}  // namespace

// False at the limit.
bool LinearOctree::push(std::uint64_t key, std::uint8_t level, Area area) {
  if (leaves_.size() == kMaxOctreeLeaves) return false;
  leaves_.push_back(packed(key, level, area));
  // Eight of one cube and one area become it.
  while (level < depth_ && leaves_.size() >= 8) {
    const std::size_t first = leaves_.size() - 8;
    const std::uint64_t begin = key_of(leaves_[first]);
    if (begin % volume_of(level + 1) != 0) break;
    bool equal = true;
    for (std::size_t i = 0; i < 8 && equal; ++i) {
      equal = leaves_[first + i] == packed(begin + i * volume_of(level), level, area);
    }
    if (!equal) break;
    leaves_.resize(first);
    leaves_.push_back(packed(begin, ++level, area));
  }
  return true;
}

Result<LinearOctree> LinearOctree::create(const Columns& columns) {
  const Extent& extent = columns.extent();
  const std::uint32_t most = std::max({extent.x, extent.y, extent.z});
  LinearOctree tree(extent, static_cast<std::uint8_t>(std::bit_width(most - 1)));
  std::vector<std::uint8_t> areas;
  if (!tree.add(columns, {}, tree.depth_, areas)) {
    return Error(Errc::too_large, "kMaxOctreeLeaves");
  }
  tree.leaves_.shrink_to_fit();
  return tree;
}

bool LinearOctree::add(const Columns& columns, Voxel low, std::uint8_t level,
                       std::vector<std::uint8_t>& areas) {
  if (!extent_.contains(low)) return push(morton(low), level, kWall);
  if (level <= kChunkLevel) {
    const VoxelBox box = Block{low, level, 0, 0}.box();
    if (box == box.intersection(extent_.box())) {
      if (const auto area = one_area(columns, box)) return push(morton(low), level, *area);
    }
    read_areas(columns, low, areas);
    return add_chunk(areas, low);
  }
  for (std::uint32_t child = 0; child < 8; ++child) {
    if (!add(columns, child_of(low, level, child), static_cast<std::uint8_t>(level - 1), areas)) {
      return false;
    }
  }
  return true;
}

// Cubes of 4 x 4 x 4 that are equal throughout, or their voxels.
bool LinearOctree::add_chunk(const std::vector<std::uint8_t>& areas, Voxel low) {
  const std::uint8_t level = std::min(depth_, kChunkLevel);
  const std::uint64_t begin = morton(low);
  const std::uint8_t step = std::min<std::uint8_t>(level, 2);
  for (std::uint64_t key = 0; key < volume_of(level); key += volume_of(step)) {
    const Voxel at = from_morton(key);
    const Area first = areas[chunk_index(at.x, at.y, at.z)];
    bool equal = true;
    for (std::uint64_t i = 1; i < volume_of(step) && equal; ++i) {
      const Voxel one = from_morton(key + i);
      equal = areas[chunk_index(one.x, one.y, one.z)] == first;
    }
    if (equal) {
      if (!push(begin + key, step, first)) return false;
      continue;
    }
    for (std::uint64_t i = 0; i < volume_of(step); ++i) {
      const Voxel one = from_morton(key + i);
      if (!push(begin + key + i, 0, areas[chunk_index(one.x, one.y, one.z)])) return false;
    }
  }
  return true;
}

Result<LinearOctree> LinearOctree::of(const Extent& extent, std::span<const Cube> cubes) {
  // What is too large for columns is for an octree, too.
  if (extent.voxels() == 0) return Error(Errc::bad_option, "extent: no voxels");
  if (std::max({extent.x, extent.y, extent.z}) > kMaxVoxelSide) {
    return Error(Errc::too_large, "kMaxVoxelSide");
  }
  if (extent.columns() > kMaxColumns) return Error(Errc::too_large, "kMaxColumns");
  if (cubes.size() > kMaxOctreeLeaves) return Error(Errc::too_large, "kMaxOctreeLeaves");
  const std::uint32_t most = std::max({extent.x, extent.y, extent.z});
  LinearOctree tree(extent, static_cast<std::uint8_t>(std::bit_width(most - 1)));
  tree.leaves_.reserve(cubes.size());
  const std::uint64_t end = volume_of(tree.depth_);
  std::uint64_t key = 0;
  for (const Cube& cube : cubes) {
    if (cube.level > tree.depth_ || cube.area > kMaxArea || key >= end ||
        key % volume_of(cube.level) != 0) {
      return Error(Errc::bad_option, "leaves: no tiling");
    }
    const Block block{from_morton(key), cube.level, cube.area};
    const VoxelBox box = block.box();
    const bool beyond = box.x1 > extent.x || box.y1 > extent.y || box.z1 > extent.z;
    if (beyond && cube.area != kWall) return Error(Errc::bad_option, "leaves: beyond the extent");
    const std::size_t before = tree.leaves_.size();
    (void)tree.push(key, cube.level, cube.area);
    if (tree.leaves_.size() <= before) return Error(Errc::bad_option, "leaves: eight that are one");
    key += volume_of(cube.level);
  }
  if (key != end) return Error(Errc::bad_option, "leaves: no tiling");
  return tree;
}

Result<Columns> LinearOctree::columns() const {
  auto columns = Columns::create(extent_, kWall);
  if (!columns) return columns.error();
  for (std::size_t i = 0; i < leaves_.size(); ++i) {
    const Block block = leaf(i);
    if (block.value == kWall) continue;
    if (auto did = columns->set(block.box(), block.value); !did) return did.error();
  }
  return columns;
}

Block LinearOctree::leaf(std::size_t number) const {
  const std::uint64_t of = leaves_[number];
  return {from_morton(key_of(of)), level_of(of), static_cast<Area>(of),
          static_cast<std::uint32_t>(number)};
}

Block LinearOctree::at(Voxel voxel) const {
  // The last leaf that begins at its key or before.
  const auto after = std::ranges::upper_bound(leaves_, packed(morton(voxel), 0xff, 0xff));
  return leaf(static_cast<std::size_t>(after - leaves_.begin() - 1));
}

void LinearOctree::neighbours(const Block& of, Face face, std::vector<Block>& out) const {
  out.clear();
  const auto side = static_cast<int>(of.side());
  const int x = of.low.x + kFaceX[face] * side;
  const int y = of.low.y + kFaceY[face] * side;
  const int z = of.low.z + kFaceZ[face] * side;
  const int root = 1 << depth_;
  if (x < 0 || y < 0 || z < 0 || x >= root || y >= root || z >= root) return;
  const auto one = [](int at) { return static_cast<std::uint16_t>(at); };
  gather({one(x), one(y), one(z)}, of.level, face, out);
}

// Of a cube, the leaves at the face that one comes in by.
void LinearOctree::gather(Voxel low, std::uint8_t level, Face towards,
                          std::vector<Block>& out) const {
  const Block found = at(low);
  if (found.level >= level) {
    out.push_back(found);
    return;
  }
  for (std::uint32_t child = 0; child < 8; ++child) {
    // Along the axis of the face, the half on the near side.
    const bool high = kFaceX[towards] != 0   ? (child & 4) != 0
                      : kFaceY[towards] != 0 ? (child & 2) != 0
                                             : (child & 1) != 0;
    const bool backwards = kFaceX[towards] + kFaceY[towards] + kFaceZ[towards] < 0;
    if (high != backwards) continue;
    gather(child_of(low, level, child), static_cast<std::uint8_t>(level - 1), towards, out);
  }
}

}  // namespace starbus::nav::volume
