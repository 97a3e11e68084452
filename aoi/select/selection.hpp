/// Who of those in range a limited sensor shows: pure functions over candidates.
#pragma once

#include <bit>
#include <vector>

#include "aoi/index/index.hpp"
#include "aoi/options.hpp"

namespace starbus::aoi {

struct Ranked {
  float weight = 0;  ///< larger comes first; all equal for LimitPolicy::nearest
  float distance_squared = 0;
  EntityIndex entity = kNone;
};

/// A total order: by weight, then distance, then index.
inline bool ranks_before(const Ranked& a, const Ranked& b) {
  if (a.weight != b.weight) return a.weight > b.weight;
  // What is not negative is in the order of its bits: one comparison for both.
  const auto key = [](const Ranked& one) {
    return std::uint64_t{std::bit_cast<std::uint32_t>(one.distance_squared)} << 32 | one.entity;
  };
  return key(a) < key(b);
}

/// By ranks_before. Distances are not negative.
void sort_ranked(std::vector<Ranked>& some);

/// May the newcomer take the incumbent's place? With a margin it has to be nearer by that share.
bool displaces(const Ranked& newcomer, const Ranked& incumbent, float margin);

/// The squared distance below which a newcomer displaces an incumbent of the same weight.
float displacing_limit(float incumbent_squared, float margin);

/// Leaves in `incumbents` who is shown, at most `count`: incumbents keep their places, the best
/// newcomers get those that are free, and displace the worst incumbents while they may. Both lists
/// are reordered.
void select(std::vector<Ranked>& incumbents, std::vector<Ranked>& newcomers, std::size_t count,
            float margin);

}  // namespace starbus::aoi
