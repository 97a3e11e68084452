/// The blocks of one layer of a grid, in runs: the blocks of a cell lie side by side. Owns them and
/// what is kept per place beside the coordinates. A free place has x = NaN and no bit anywhere.
/// Block 0 is always free: it stands for cells without blocks.
#pragma once

#include <array>
#include <vector>

#include "aoi/index/kernels.hpp"
#include "aoi/scene.hpp"

namespace starbus::aoi {

/// The blocks of one cell: capacity is a power of two, or 0; the first `used` may hold somebody.
struct Run {
  std::uint32_t first = 0;
  std::uint32_t capacity = 0;
  std::uint32_t used = 0;
  std::uint32_t count = 0;  ///< entities

  /// Bytes in the row of a sensor: an empty cell has one, so that one entity changes no layout.
  std::uint32_t width() const { return capacity == 0 ? 1 : capacity; }
};

class BlockArena {
 public:
  explicit BlockArena(const Scene& scene);

  void reserve(std::size_t blocks);
  /// Free places only. Capacity is a power of two.
  std::uint32_t allocate(std::uint32_t capacity);
  void release(std::uint32_t first, std::uint32_t capacity);

  void put(std::uint32_t place, EntityIndex entity);
  void clear(std::uint32_t place);
  /// Its entity has gone, but the place still says whose it was: in range of nobody, and not free.
  void vacate(std::uint32_t place);
  /// What put() and vacate() have not left free.
  std::uint8_t taken(std::uint32_t block) const { return occupied[block] | vacated[block]; }
  bool is_vacated(std::uint32_t place) const {
    return (vacated[place / kBlockPlaces] >> place % kBlockPlaces & 1) != 0;
  }
  /// The bits of its filters.
  void refilter(std::uint32_t place);
  void refilter_all(FilterNumber number);
  /// From now on heights are kept.
  void keep_heights();

  void set(std::uint32_t place, const Position& at) {
    Block& block = blocks[place / kBlockPlaces];
    block.x[place % kBlockPlaces] = at.x;
    block.y[place % kBlockPlaces] = at.y;
    if (!heights.empty()) heights[place / kBlockPlaces].z[place % kBlockPlaces] = at.z;
    moved[place / kBlockPlaces] |= static_cast<std::uint8_t>(1u << place % kBlockPlaces);
  }
  const HeightBlock* heights_at(std::uint32_t block) const {
    return heights.empty() ? nullptr : heights.data() + block;
  }
  std::uint64_t memory() const;

  std::vector<Block> blocks;
  std::vector<HeightBlock> heights;               ///< empty until a sensor asks for heights
  std::vector<EntityIndex> entities;              ///< per place
  std::vector<std::uint8_t> occupied;             ///< a bit per place
  std::vector<std::uint8_t> vacated;              ///< likewise
  std::vector<std::uint8_t> moved;                ///< since the last look
  std::vector<std::vector<std::uint8_t>> passes;  ///< per filter number; that of 0 is empty

 private:
  static constexpr std::size_t kSizes = 18;
  const Scene& scene_;
  std::array<std::vector<std::uint32_t>, kSizes> free_;  ///< first blocks, by log2 of capacity
};

}  // namespace starbus::aoi
