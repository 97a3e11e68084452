/// The blocks of one layer of a grid, in runs: the blocks of a cell lie side by side. Owns them and
/// what is kept per place besides the coordinates. A free place has x = NaN and no bit anywhere.
/// Block 0 is always free: it stands for cells without blocks. Plain data, whose columns the parts
/// of a layer read in their loops; one thread; fails only by running out of memory.
#pragma once

#include <array>
#include <vector>

#include "aoi/index/kernels.hpp"
#include "aoi/scene.hpp"

namespace starbus::aoi {

/// The blocks of one cell. Capacity is a power of two, or 0; only the first `used` may be occupied.
struct Run {
  std::uint32_t first = 0;
  std::uint32_t capacity = 0;
  std::uint32_t used = 0;
  std::uint32_t count = 0;  ///< entities

  /// Bytes of the cell's part in rows. An empty cell has one, so that its first entity changes no
  /// layout.
  std::uint32_t width() const { return capacity == 0 ? 1 : capacity; }
};

struct BlockArena {
  explicit BlockArena(const Scene& the_scene);

  void reserve(std::size_t blocks);
  /// All its places are free. Capacity is a power of two.
  std::uint32_t allocate(std::uint32_t capacity);
  void release(std::uint32_t first, std::uint32_t capacity);

  /// The entity takes the place, with its present position and flags; `clear` makes it free again.
  void put(std::uint32_t place, EntityIndex entity);
  void clear(std::uint32_t place);
  /// Its entity has left, but the place keeps its index: it is in range of no sensor, and not free.
  void vacate(std::uint32_t place);
  /// A bit for each place that is occupied or vacated.
  std::uint8_t taken(std::uint32_t block) const { return occupied[block] | vacated[block]; }
  bool is_vacated(std::uint32_t place) const {
    return (vacated[place / kBlockPlaces] >> place % kBlockPlaces & 1) != 0;
  }
  /// Computes the filter bits of a place, or the bits of one filter for all places.
  void refilter(std::uint32_t place);
  void refilter_all(FilterNumber number);
  /// Keeps heights from now on.
  void keep_heights();

  /// Writes the coordinates of a place, and marks it as moved.
  void set(std::uint32_t place, const Position& at) {
    Block& block = blocks[place / kBlockPlaces];
    block.x[place % kBlockPlaces] = at.x;
    block.y[place % kBlockPlaces] = at.y;
    if (!heights.empty()) heights[place / kBlockPlaces].z[place % kBlockPlaces] = at.z;
    moved[place / kBlockPlaces] |= static_cast<std::uint8_t>(1u << place % kBlockPlaces);
  }
  /// Null while heights are not kept.
  const HeightBlock* heights_at(std::uint32_t block) const {
    return heights.empty() ? nullptr : heights.data() + block;
  }
  /// Bytes that it occupies.
  std::uint64_t memory() const;

  std::vector<Block> blocks;
  std::vector<HeightBlock> heights;               ///< empty until a sensor asks for heights
  std::vector<EntityIndex> entities;              ///< per place
  std::vector<std::uint8_t> occupied;             ///< a bit per place
  std::vector<std::uint8_t> vacated;              ///< a bit per place
  std::vector<std::uint8_t> moved;                ///< since the last evaluation
  std::vector<std::vector<std::uint8_t>> passes;  ///< per filter number; that of 0 is empty

  static constexpr std::size_t kSizes = 18;  ///< of runs: powers of two
  const Scene& scene;
  std::array<std::vector<std::uint32_t>, kSizes> free_runs;  ///< first blocks, by log2 of capacity
};

}  // namespace starbus::aoi
