/// Ranks a few keys by counting, for each, how many are smaller: there is no branch to mispredict.
/// Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

namespace starbus::aoi {

/// Sets places[i] to how many of the first `count` keys are smaller than keys[i]; equal keys have
/// equal places. Both arrays have kFours times four elements; keys from `count` on are overwritten.
template <std::size_t kFours>
void rank_few(std::int32_t* keys, std::size_t count, std::int32_t* places) {
  using Four = std::int32_t __attribute__((vector_size(16)));
  for (std::size_t i = count; i < kFours * 4; ++i) {
    keys[i] = std::numeric_limits<std::int32_t>::max();
  }
  Four key[kFours];
  Four place[kFours];
  std::memcpy(key, keys, sizeof key);
  for (Four& four : place) four = Four{};
  for (std::size_t i = 0; i < count; ++i) {
    const Four other = Four{} + keys[i];
#pragma GCC unroll 16  // so that they stay in registers
    for (std::size_t j = 0; j < kFours; ++j) place[j] -= other < key[j];
  }
  std::memcpy(places, place, sizeof place);
}

}  // namespace starbus::aoi
