#include "nav/volume/sparse_octree.hpp"

#include <algorithm>
#include <cstring>

namespace starbus::nav::volume {

SparseOctree::SparseOctree(const Extent& extent)
    : extent_(extent),
      chunks_(extent),
      words_(chunks_.count()),
      labels_(chunks_.count()),
      free_(chunks_.count()) {}

Block SparseOctree::at(Voxel voxel) const {
  Word word = words_[chunks_.index(voxel)];
  std::uint8_t level = kChunkLevel;
  while ((word & kKind) == kGroup) {
    --level;
    const std::uint32_t child =
        (voxel.x >> level & 1u) << 2 | (voxel.y >> level & 1u) << 1 | (voxel.z >> level & 1u);
    word = groups_[word & ~kKind][child];
  }
  if ((word & kKind) == kLeaf) return in_leaf(word & ~kKind, voxel);
  const auto low = [level](std::uint16_t of) {
    return static_cast<std::uint16_t>(of >> level << level);
  };
  return {{low(voxel.x), low(voxel.y), low(voxel.z)},
          level,
          static_cast<std::uint8_t>(word),
          word >> 8};
}

Block SparseOctree::in_leaf(std::uint32_t leaf, Voxel voxel) const {
  const std::uint32_t bit = bit_of(voxel);
  if ((bits_[leaf] >> bit & 1) == 0) return {voxel, 0, 0, 0};
  std::uint32_t kind = kinds_[leaf];
  if ((kind & kMixed) != 0) kind = mixed_[kind & ~kMixed][bit];
  return {voxel, 0, static_cast<std::uint8_t>(kind), kind >> 8};
}

std::size_t SparseOctree::bytes() const {
  const auto of = [](const auto& list) { return list.capacity() * sizeof(list[0]); };
  return of(words_) + of(labels_) + of(free_) + of(groups_) + of(free_groups_) + of(bits_) +
         of(kinds_) + of(free_leaves_) + of(mixed_) + of(free_mixed_) + of(runs_) + of(starts_) +
         of(parents_);
}

bool SparseOctree::build(std::uint32_t chunk, const ChunkValues& values) {
  release(words_[chunk]);
  label_runs(chunk, values);
  full_ = false;
  words_[chunk] = make(values, {}, kChunkLevel);
  if (full_) {
    release(words_[chunk]);
    words_[chunk] = 0;
    labels_[chunk] = free_[chunk] = 0;
  }
  return !full_;
}

void SparseOctree::fill(std::uint32_t chunk, std::uint8_t value) {
  release(words_[chunk]);
  words_[chunk] = word_of(value, 0);
  labels_[chunk] = value == 0 ? 0 : 1;
  free_[chunk] = value == 0 ? 0 : kChunkVoxels;
}

// What can be entered as runs along columns, of which those that touch are joined; whatever they
// cost.
void SparseOctree::label_runs(std::uint32_t chunk, const ChunkValues& values) {
  runs_.clear();
  starts_.clear();
  parents_.clear();
  const std::uint32_t chunk_side = kChunkSide;
  std::uint32_t free = 0;
  const auto join = [&](std::uint32_t a, std::uint32_t b) {
    a = root(a);
    b = root(b);
    parents_[std::max(a, b)] = std::min(a, b);
  };
  // Both lists are in order from below.
  const auto join_columns = [&](std::uint32_t a, std::uint32_t b) {
    std::uint32_t i = starts_[a];
    std::uint32_t k = starts_[b];
    while (i < starts_[a + 1] && k < starts_[b + 1]) {
      if (runs_[i].low < runs_[k].end && runs_[k].low < runs_[i].end) join(i, k);
      runs_[i].end < runs_[k].end ? ++i : ++k;
    }
  };
  for (std::uint32_t column = 0; column < chunk_side * chunk_side; ++column) {
    starts_.push_back(static_cast<std::uint32_t>(runs_.size()));
    const std::uint8_t* const of = values.data() + std::size_t{column} * chunk_side;
    for (std::uint32_t z = 0; z < chunk_side;) {
      if (of[z] == 0) {
        ++z;
        continue;
      }
      const std::uint32_t low = z;
      while (z < chunk_side && of[z] != 0) ++z;
      free += z - low;
      parents_.push_back(static_cast<std::uint32_t>(runs_.size()));
      runs_.push_back({static_cast<std::uint8_t>(low), static_cast<std::uint8_t>(z), 0});
    }
  }
  starts_.push_back(static_cast<std::uint32_t>(runs_.size()));
  for (std::uint32_t column = 0; column < chunk_side * chunk_side; ++column) {
    if (column % chunk_side != 0) join_columns(column - 1, column);
    if (column >= chunk_side) join_columns(column - chunk_side, column);
  }
  std::uint32_t labels = 0;
  for (std::uint32_t run = 0; run < runs_.size(); ++run) {
    const std::uint32_t of = root(run);
    runs_[run].label = of == run ? labels++ : runs_[of].label;
  }
  labels_[chunk] = labels;
  free_[chunk] = free;
}

std::uint32_t SparseOctree::root(std::uint32_t run) {
  while (parents_[run] != run) run = parents_[run] = parents_[parents_[run]];
  return run;
}

// The label of a voxel that can be entered.
std::uint32_t SparseOctree::label_at(Voxel within) const {
  const std::uint32_t column = within.x * kChunkSide + within.y;
  const auto first = runs_.begin() + starts_[column];
  const auto end = runs_.begin() + starts_[column + 1];
  return std::upper_bound(first, end, within.z,
                          [](std::uint16_t z, const Run& run) { return z < run.end; })
      ->label;
}

// The node of a cube, which begins at `within` its chunk.
SparseOctree::Word SparseOctree::make(const ChunkValues& values, Voxel within, std::uint8_t level) {
  if (level == 2) return make_leaf(values, within);
  Group children;
  const std::uint32_t half = 1u << (level - 1);
  for (std::uint32_t i = 0; i < 8; ++i) {
    const auto one = [half](std::uint16_t at, bool high) {
      return static_cast<std::uint16_t>(at + (high ? half : 0));
    };
    const Voxel low{one(within.x, (i & 4) != 0), one(within.y, (i & 2) != 0),
                    one(within.z, (i & 1) != 0)};
    children[i] = make(values, low, static_cast<std::uint8_t>(level - 1));
  }
  // Neighbours that can be entered have one label, so that equal values are equal words.
  const bool equal = std::ranges::all_of(children, [&](Word one) { return one == children[0]; });
  if (equal && (children[0] & kKind) == 0) return children[0];
  std::uint32_t index;
  if (free_groups_.empty()) {
    index = static_cast<std::uint32_t>(groups_.size());
    groups_.push_back(children);
  } else {
    index = free_groups_.back();
    free_groups_.pop_back();
    groups_[index] = children;
  }
  return kGroup | index;
}

SparseOctree::Word SparseOctree::make_leaf(const ChunkValues& values, Voxel within) {
  // Four voxels above each other are a word.
  std::array<std::uint32_t, 16> rows;
  bool equal = true;
  for (std::uint32_t row = 0; row < 16; ++row) {
    const std::uint32_t at = chunk_index(within.x + row / 4, within.y + row % 4, within.z);
    std::memcpy(&rows[row], values.data() + at, sizeof rows[row]);
    equal = equal && rows[row] == rows[0];
  }
  const std::uint8_t first = values[chunk_index(within.x, within.y, within.z)];
  if (equal && rows[0] == first * 0x0101'0101u) {
    return first == 0 ? 0 : word_of(first, label_at(within));
  }
  std::uint64_t bits = 0;
  std::array<std::uint32_t, 64> kinds;
  std::uint32_t kind = 0;  // of those that can be entered, if they have one
  bool mixed = false;
  for (std::uint32_t bit = 0; bit < 64; ++bit) {
    const Voxel at{static_cast<std::uint16_t>(within.x + bit / 16),
                   static_cast<std::uint16_t>(within.y + bit / 4 % 4),
                   static_cast<std::uint16_t>(within.z + bit % 4)};
    const std::uint8_t value = values[chunk_index(at.x, at.y, at.z)];
    kinds[bit] = 0;
    if (value == 0) continue;
    kinds[bit] = word_of(value, label_at(at));
    mixed = mixed || (bits != 0 && kinds[bit] != kind);
    kind = kinds[bit];
    bits |= std::uint64_t{1} << bit;
  }
  if (leaves() == kMaxLeaves) {
    full_ = true;
    return 0;
  }
  if (mixed) {
    if (free_mixed_.empty()) {
      kind = kMixed | static_cast<std::uint32_t>(mixed_.size());
      mixed_.push_back(kinds);
    } else {
      kind = kMixed | free_mixed_.back();
      mixed_[free_mixed_.back()] = kinds;
      free_mixed_.pop_back();
    }
  }
  std::uint32_t leaf;
  if (free_leaves_.empty()) {
    leaf = static_cast<std::uint32_t>(bits_.size());
    bits_.push_back(bits);
    kinds_.push_back(kind);
  } else {
    leaf = free_leaves_.back();
    free_leaves_.pop_back();
    bits_[leaf] = bits;
    kinds_[leaf] = kind;
  }
  return kLeaf | leaf;
}

void SparseOctree::release(Word word) {
  const std::uint32_t index = word & ~kKind;
  if ((word & kKind) == kGroup) {
    for (const Word child : groups_[index]) release(child);
    free_groups_.push_back(index);
  } else if ((word & kKind) == kLeaf) {
    if ((kinds_[index] & kMixed) != 0) free_mixed_.push_back(kinds_[index] & ~kMixed);
    free_leaves_.push_back(index);
  }
}

}  // namespace starbus::nav::volume
