/// Sorts the targets of one sensor's events: mostly a few, sometimes a crowd; all different.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace starbus::aoi {

/// Ascending; no two are equal, and all are below 2^31. `marks` is scratch: zeros before and after.
void sort_indices(std::span<std::uint32_t> indices, std::vector<std::uint64_t>& marks);

/// What is only in `a`, and what is only in `b`: all ascending.
void compare(std::vector<std::uint32_t>& a, std::vector<std::uint32_t>& b,
             std::vector<std::uint32_t>& only_a, std::vector<std::uint32_t>& only_b);

}  // namespace starbus::aoi
