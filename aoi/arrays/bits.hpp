/// Writes the numbers of the bits that are set in a word, for loops that cannot predict how many
/// there are. Pure functions.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace starbus::aoi {

/// Writes base + number for each bit, in order, and returns the end. The first kSure are written
/// whether they exist or not, and count only if they do: if most words have so many, no branch is
/// mispredicted. So `at` needs room for kSure more.
template <std::size_t kSure>
std::uint32_t* write_bits(std::uint64_t bits, std::uint32_t base, std::uint32_t* at) {
  if constexpr (kSure != 0) {
    constexpr std::uint64_t kNever = std::uint64_t{1} << 63;  // lower bits are found first
#pragma GCC unroll 4
    for (std::size_t i = 0; i < kSure; ++i) {
      *at = base + static_cast<std::uint32_t>(std::countr_zero(bits | kNever));
      at += bits != 0 ? 1 : 0;
      bits &= bits - 1;
    }
  }
  for (; bits != 0; bits &= bits - 1) {
    *at++ = base + static_cast<std::uint32_t>(std::countr_zero(bits));
  }
  return at;
}

}  // namespace starbus::aoi
