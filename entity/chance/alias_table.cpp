#include "entity/chance/alias_table.hpp"

#include <numeric>

#include "entity/chance/limits.hpp"

namespace starbus::entity {

// choose() draws below size * total: 2^14 * 2^14 * 2^32 at most.
static_assert(kMaxWeights <= 1U << 14);

ChanceResult<AliasTable> AliasTable::of(std::span<const std::uint32_t> weights) {
  if (weights.size() > kMaxWeights) return ChanceErrc::too_many_weights;
  const std::uint64_t total = std::accumulate(weights.begin(), weights.end(), std::uint64_t{0});
  if (total == 0) return ChanceErrc::no_weight;

  // Entry i has weight * size to put into cells of height total. Those with too little for their
  // own cell get the rest of it from one with more; the sum is what all cells hold, so it comes out
  // even.
  std::vector<Cell> cells(weights.size());
  std::vector<std::uint32_t> small;
  std::vector<std::uint32_t> large;
  for (std::uint32_t i = 0; i < cells.size(); ++i) {
    cells[i] = {std::uint64_t{weights[i]} * cells.size(), i};
    (cells[i].own < total ? small : large).push_back(i);
  }
  while (!small.empty()) {
    const std::uint32_t filled = small.back();
    small.pop_back();
    const std::uint32_t giver = large.back();
    cells[filled].other = giver;
    cells[giver].own -= total - cells[filled].own;
    if (cells[giver].own < total) {
      large.pop_back();
      small.push_back(giver);
    }
  }
  // What is left fills its own cell exactly: it is its own `other`.
  return AliasTable(std::move(cells), total);
}

std::size_t AliasTable::choose(RandomStream& stream) const {
  const std::uint64_t drawn = stream.below(cells_.size() * total_);
  const std::uint64_t at = drawn / total_;
  const Cell& cell = cells_[at];
  return drawn % total_ < cell.own ? static_cast<std::size_t>(at) : cell.other;
}

std::uint64_t AliasTable::share_of(std::size_t entry) const {
  std::uint64_t share = 0;
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    if (i == entry) share += cells_[i].own;
    if (cells_[i].other == entry) share += total_ - cells_[i].own;
  }
  return share;
}

}  // namespace starbus::entity
