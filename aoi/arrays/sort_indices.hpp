/// Sorts the targets of one sensor's events: mostly a few, sometimes a crowd, all different.
///
/// std::sort is not enough, because every changed sensor sorts its targets in every update, and
/// each of its comparisons of indices in random order is mispredicted about half of the time. Up to
/// 64 indices are ranked without a branch instead, and a crowd whose indices lie close together is
/// sorted by one bit per index, in time linear in their number. `scripts/bench aoi` measures it:
/// the cases `w1.grid` (a few targets per sensor) and `w2.grid`, `w2.churn` and `spot.features`
/// (crowds). Pure functions but for the scratch that callers own.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace starbus::aoi {

/// Sorts in ascending order. No two indices are equal, and all are below 2^31. `marks` is scratch:
/// zeros before and after.
void sort_indices(std::span<std::uint32_t> indices, std::vector<std::uint64_t>& marks);

/// Finds what is only in `a` and what is only in `b`, each in the order of its list. `marks` is
/// scratch with a bit for each possible index: zeros before and after.
void compare(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
             std::vector<std::uint64_t>& marks, std::vector<std::uint32_t>& only_a,
             std::vector<std::uint32_t>& only_b);

}  // namespace starbus::aoi
