/// Sorts the targets of one sensor's events: mostly a few, sometimes a crowd; all different.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace starbus::aoi {

/// Ascending; no two are equal, and all are below 2^31. `marks` is scratch: zeros before and after.
void sort_indices(std::span<std::uint32_t> indices, std::vector<std::uint64_t>& marks);

/// What is only in `a`, and what is only in `b`, in the order in which they are there. `marks` is
/// scratch with a bit for each index that there may be: zeros before and after.
void compare(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
             std::vector<std::uint64_t>& marks, std::vector<std::uint32_t>& only_a,
             std::vector<std::uint32_t>& only_b);

}  // namespace starbus::aoi
