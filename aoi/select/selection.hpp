/// Selects which targets in range a sensor with a limit shows. Pure functions over candidates.
#pragma once

#include <bit>
#include <vector>

#include "aoi/index/index.hpp"
#include "aoi/options.hpp"

namespace starbus::aoi {

/// A candidate with what it is ranked by.
struct Ranked {
  float weight = 0;  ///< larger comes first; all equal for LimitPolicy::nearest
  float distance_squared = 0;
  EntityIndex entity = kNone;
};

/// A total order: by weight, then distance, then index.
inline bool ranks_before(const Ranked& a, const Ranked& b) {
  if (a.weight != b.weight) return a.weight > b.weight;
  // Floats that are not negative are in the order of their bits: one comparison for both.
  const auto key = [](const Ranked& one) {
    return std::uint64_t{std::bit_cast<std::uint32_t>(one.distance_squared)} << 32 | one.entity;
  };
  return key(a) < key(b);
}

/// Sorts by ranks_before. Distances are not negative.
void sort_ranked(std::vector<Ranked>& some);

/// True if the newcomer takes the incumbent's place. With a margin it must be nearer by that share.
bool displaces(const Ranked& newcomer, const Ranked& incumbent, float margin);

/// The squared distance below which a newcomer displaces an incumbent of the same weight.
float displacing_limit(float incumbent_squared, float margin);

/// Leaves in `incumbents` the candidates to show, at most `count`. Incumbents keep their places;
/// the best newcomers get the free places, and displace the worst incumbents as long as they may.
/// Both lists are reordered.
void select(std::vector<Ranked>& incumbents, std::vector<Ranked>& newcomers, std::size_t count,
            float margin);

}  // namespace starbus::aoi
