/// One of many entries by their weights, in constant time: loot, spawns, encounters.
///
///   const auto loot = AliasTable::of(weights);             // when the data are loaded
///   give(items[loot->choose(stream)]);                     // any number of times
///
/// The alias method of Walker (1977), built as Vose (1991) does, in integers: the chance of each
/// entry is its weight by the sum of all, exactly, in whatever order they stand; one of weight 0 is
/// never chosen. Building takes time in proportion to the entries. A constant value, 16 bytes per
/// entry; from any thread. Failures are values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "entity/chance/error.hpp"
#include "entity/chance/random_stream.hpp"

namespace starbus::entity {

class AliasTable {
 public:
  /// An entry is its place in `weights`. Errors: no_weight, too_many_weights.
  static ChanceResult<AliasTable> of(std::span<const std::uint32_t> weights);

  /// The place of an entry, drawn by one RandomStream::below.
  std::size_t choose(RandomStream& stream) const;

  std::size_t size() const { return cells_.size(); }
  std::uint64_t total_weight() const { return total_; }
  /// What the cells hold of this entry: size() times its weight.
  std::uint64_t share_of(std::size_t entry) const;

 private:
  /// Of a cell of height total_: below `own` it is the entry of its place, else `other`.
  struct Cell {
    std::uint64_t own = 0;
    std::uint32_t other = 0;
  };
  AliasTable(std::vector<Cell> cells, std::uint64_t total)
      : cells_(std::move(cells)), total_(total) {}

  std::vector<Cell> cells_;
  std::uint64_t total_ = 0;
};

}  // namespace starbus::entity
