/// SparseOctree: a volume as one kind of agent finds it: what a voxel costs it, 0 for what it
/// cannot enter. A forest of octrees, one for each chunk: inner nodes are words of 32 bits in
/// groups of eight, and cubes of 4 x 4 x 4 voxels that are not equal throughout are leaves of one
/// word of 64 bits, a bit for each voxel, the form that Laine and Karras (2010) made known as a
/// sparse voxel octree. Built from the bottom up, chunk by chunk; a change
/// rebuilds the chunks that it touches and nothing else.
///
/// No node has a pointer or a link: a neighbour is found by its place, through the table of chunks
/// and at most four nodes below it, so that there is nothing to put right around a change.
///
/// Every free voxel carries a label: equal for those of its chunk that moves within the chunk join.
///
/// Owns its memory. Changes by one thread while no other one reads.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "nav/volume/chunk.hpp"
#include "nav/volume/limits.hpp"
#include "nav/volume/voxel.hpp"

namespace starbus::nav::volume {

class SparseOctree {
 public:
  /// Nothing can be entered.
  explicit SparseOctree(const Extent& extent);

  /// Rebuilds a chunk from the values of its voxels, 0 beyond the volume. False if there would be
  /// more than kMaxLeaves: then nothing of it can be entered.
  bool build(std::uint32_t chunk, const ChunkValues& values);
  /// The same of a chunk that lies in the volume and has one value.
  void fill(std::uint32_t chunk, std::uint8_t value);

  const Extent& extent() const { return extent_; }
  const Chunks& chunks() const { return chunks_; }
  /// The cube of a voxel, with its cost and its label; a voxel of a leaf by itself. It must lie in
  /// the volume.
  Block at(Voxel voxel) const;
  /// What a voxel costs; 0 beyond the volume.
  std::uint8_t cost(Voxel voxel) const {
    return extent_.contains(voxel) ? at(voxel).value : std::uint8_t{0};
  }
  /// Labels of a chunk; they begin at 0. How many of its voxels can be entered.
  std::uint32_t labels(std::uint32_t chunk) const { return labels_[chunk]; }
  std::uint32_t free_voxels(std::uint32_t chunk) const { return free_[chunk]; }

  /// Calls `use` with every cube of a chunk that can be entered, in the order of Morton keys, until
  /// it returns false.
  template <class Use>
  bool each_block(std::uint32_t chunk, Use&& use) const {
    return each(words_[chunk], chunks_.low(chunk), kChunkLevel, use);
  }
  /// Calls `use` with the cubes on the other side of a face of a cube, whether they can be entered
  /// or not, each with the part of the face: its low corner on the other side, and its level.
  template <class Use>
  void each_neighbour(const Block& of, Face face, Use&& use) const {
    const auto side = static_cast<int>(of.side());
    const int x = of.low.x + (kFaceX[face] < 0 ? -1 : kFaceX[face] * side);
    const int y = of.low.y + (kFaceY[face] < 0 ? -1 : kFaceY[face] * side);
    const int z = of.low.z + (kFaceZ[face] < 0 ? -1 : kFaceZ[face] * side);
    if (x < 0 || y < 0 || z < 0) return;
    const auto one = [](int at) { return static_cast<std::uint16_t>(at); };
    each_of_face({one(x), one(y), one(z)}, of.level, face, use);
  }

  /// Leaves and groups of eight nodes that are in use.
  std::size_t leaves() const { return bits_.size() - free_leaves_.size(); }
  std::size_t groups() const { return groups_.size() - free_groups_.size(); }
  /// Bytes of memory that it holds.
  std::size_t bytes() const;

 private:
  using Word = std::uint32_t;
  using Group = std::array<Word, 8>;
  static constexpr Word kGroup = 1u << 30;
  static constexpr Word kLeaf = 2u << 30;
  static constexpr Word kKind = 3u << 30;  // 0: one value, with a label above it
  static constexpr std::uint32_t kMixed = 1u << 31;

  static constexpr Word word_of(std::uint8_t value, std::uint32_t label) {
    return label << 8 | value;
  }
  static std::uint32_t bit_of(Voxel at) {
    return (at.x & 3u) << 4 | (at.y & 3u) << 2 | (at.z & 3u);
  }

  template <class Use>
  bool each(Word word, Voxel low, std::uint8_t level, Use& use) const;
  template <class Use>
  void each_of_face(Voxel low, std::uint8_t level, Face face, Use& use) const;

  struct Run {
    std::uint8_t low;
    std::uint8_t end;
    std::uint32_t label;
  };
  void label_runs(std::uint32_t chunk, const ChunkValues& values);
  std::uint32_t root(std::uint32_t run);
  std::uint32_t label_at(Voxel within) const;
  Word make(const ChunkValues& values, Voxel within, std::uint8_t level);
  Word make_leaf(const ChunkValues& values, Voxel within);
  void release(Word word);
  Block in_leaf(std::uint32_t leaf, Voxel voxel) const;

  Extent extent_;
  Chunks chunks_;
  std::vector<Word> words_;            ///< by chunk
  std::vector<std::uint32_t> labels_;  ///< by chunk
  std::vector<std::uint32_t> free_;    ///< by chunk: voxels
  std::vector<Group> groups_;
  std::vector<std::uint32_t> free_groups_;
  std::vector<std::uint64_t> bits_;  ///< by leaf: which voxels can be entered
  /// By leaf, of the voxels that can be entered: what each costs, and its label above it; or kMixed
  /// and the number of a table.
  std::vector<std::uint32_t> kinds_;
  std::vector<std::uint32_t> free_leaves_;
  std::vector<std::array<std::uint32_t, 64>> mixed_;
  std::vector<std::uint32_t> free_mixed_;
  bool full_ = false;                   ///< while a chunk is built: the limit was reached
  std::vector<Run> runs_;               ///< scratch of build, column by column
  std::vector<std::uint32_t> starts_;   ///< likewise: the first run of each column, and the end
  std::vector<std::uint32_t> parents_;  ///< likewise
};

template <class Use>
bool SparseOctree::each(Word word, Voxel low, std::uint8_t level, Use& use) const {
  const std::uint32_t index = word & ~kKind;
  if ((word & kKind) == 0) {
    const auto value = static_cast<std::uint8_t>(word);
    return value == 0 || use(Block{low, level, value, word >> 8});
  }
  const bool leaf = (word & kKind) == kLeaf;
  // Voxels of a leaf in the order of keys, too: two levels at once.
  for (std::uint32_t i = 0; i < (leaf ? 64u : 8u); ++i) {
    const std::uint32_t half = leaf ? 0 : (1u << (level - 1));
    const Voxel step = from_morton(i);
    const auto one = [&](std::uint16_t at, std::uint16_t by) {
      return static_cast<std::uint16_t>(at + (leaf ? by : by * half));
    };
    const Voxel at{one(low.x, step.x), one(low.y, step.y), one(low.z, step.z)};
    if (leaf) {
      const Block block = in_leaf(index, at);
      if (block.value != 0 && !use(block)) return false;
    } else if (!each(groups_[index][i], at, static_cast<std::uint8_t>(level - 1), use)) {
      return false;
    }
  }
  return true;
}

template <class Use>
void SparseOctree::each_of_face(Voxel low, std::uint8_t level, Face face, Use& use) const {
  if (!extent_.contains(low)) return;
  const Block found = at(low);
  if (found.level >= level) return use(found, low, level);
  const std::uint32_t half = 1u << (level - 1);
  for (std::uint32_t quarter = 0; quarter < 4; ++quarter) {
    // Two bits along the two axes of the face.
    const std::uint32_t a = (quarter & 2) != 0 ? half : 0;
    const std::uint32_t b = (quarter & 1) != 0 ? half : 0;
    const auto add = [](std::uint16_t at, std::uint32_t by) {
      return static_cast<std::uint16_t>(at + by);
    };
    const Voxel part = kFaceX[face] != 0   ? Voxel{low.x, add(low.y, a), add(low.z, b)}
                       : kFaceY[face] != 0 ? Voxel{add(low.x, a), low.y, add(low.z, b)}
                                           : Voxel{add(low.x, a), add(low.y, b), low.z};
    each_of_face(part, static_cast<std::uint8_t>(level - 1), face, use);
  }
}

}  // namespace starbus::nav::volume
