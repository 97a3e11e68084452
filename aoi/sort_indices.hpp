/// Sorts the targets of one sensor's events: mostly a few, sometimes a crowd; all different.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace starbus::aoi {

/// Ascending; no two are equal, and all are below 2^31. `marks` is scratch: zeros before and after.
void sort_indices(std::span<std::uint32_t> indices, std::vector<std::uint64_t>& marks);

}  // namespace starbus::aoi
