/// Chances that follow from numbers alone: with them bots walk the same ways in each run, and
/// programs in other languages walk them beside it. Pure functions.
#pragma once

#include <cstdint>

namespace starbus::bots {

/// Mixes all bits of a word: the finalizer of MurmurHash3 (A. Appleby, public domain).
constexpr std::uint32_t mixed(std::uint32_t word) {
  word = (word ^ (word >> 16)) * 0x85EBCA6BU;
  word = (word ^ (word >> 13)) * 0xC2B2AE35U;
  return word ^ (word >> 16);
}

/// 0 <= chance < 1: the `draw`-th of a bot. The same for the same numbers wherever words have 32
/// bits and wrap.
constexpr double chance_of(std::uint32_t seed, std::uint32_t bot, std::uint32_t draw) {
  return mixed(mixed(mixed(seed + 1) ^ bot) + draw) / 4294967296.0;
}

}  // namespace starbus::bots
