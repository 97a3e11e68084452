/// Numbers of the bits that are set in a word, for loops that cannot guess how many there are.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace starbus::aoi {

/// Writes base + number for each, in order, and says where they end. kSure are written whatever
/// there is, and count if they were there: where there are mostly so many, nothing is guessed.
template <std::size_t kSure>
std::uint32_t* write_bits(std::uint64_t bits, std::uint32_t base, std::uint32_t* at) {
  if constexpr (kSure != 0) {
    constexpr std::uint64_t kNever = std::uint64_t{1} << 63;  // lower ones are found first
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
