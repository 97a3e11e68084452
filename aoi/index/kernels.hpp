/// The inner loops of the grids: which of the entities in some blocks are in range of one sensor.
///
/// A block has eight places; a free place has x = NaN and is in range of no sensor. Results are one
/// bit per place. There is one set of loops in plain C++ and one for AVX2, equal to the last bit.
#pragma once

#include <cstddef>
#include <cstdint>

namespace starbus::aoi {

/// Places of a block, and cells around a home.
inline constexpr std::uint32_t kBlockPlaces = 8;
inline constexpr std::size_t kNeighbours = 9;  ///< the home cell of a sensor, and those around it
/// Blocks whose bits fit into two words. Never fewer than kNeighbours.
inline constexpr std::size_t kFewBlocks = 16;

/// One cache line.
struct alignas(64) Block {
  float x[kBlockPlaces];
  float y[kBlockPlaces];
};
struct HeightBlock {
  float z[kBlockPlaces];
};

/// The position of one sensor, and its limits, squared for a circle.
struct Query {
  float x, y, z;
  float enter_limit, stay_limit;
  float min_height, max_height;
};

/// The bits of up to kFewBlocks blocks: the first eight in `low`, the others in `high`.
struct FewBits {
  std::uint64_t low;
  std::uint64_t high;
};
struct FewScans {
  FewBits enter;
  FewBits stay;  ///< only with a margin
};

/// The loops of one instruction set, by variant.
struct KernelTable {
  /// For kNeighbours to kFewBlocks blocks and several queries.
  using Few = void (*)(const Block* const* blocks, const HeightBlock* const* heights,
                       std::size_t size, const Query* queries, std::size_t count, FewScans* out);
  /// out[i] = enter | (old[i] & stay)
  using Run = void (*)(const Block* blocks, const HeightBlock* heights, std::size_t count,
                       const Query& query, const std::uint8_t* old, std::uint8_t* out);
  static constexpr std::size_t kVariants = 8;
  static constexpr std::size_t variant(bool square, bool margin, bool height) {
    return (square ? 4u : 0u) + (margin ? 2u : 0u) + (height ? 1u : 0u);
  }
  Few few[kVariants];
  Run run[kVariants];
};

/// In plain C++, for any processor.
const KernelTable& portable_kernels();
/// The fastest that this processor and this build have.
const KernelTable& best_kernels();
/// Returns nullptr if the build or the processor has none.
const KernelTable* avx2_kernels();

}  // namespace starbus::aoi
