#include "entity/chance/pseudo_random_rate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "entity/chance/limits.hpp"

namespace starbus::entity {

double probability_of_constant(double constant) {
  // The mean number of tries is the sum of the chances that try n is reached. Below the last digit
  // of the sum they no longer count: after some 9 / sqrt(C) tries, long before 1 / C.
  double tries = 0;
  double reached = 1;
  for (double n = 1; reached > 1e-18 * tries; ++n) {
    tries += reached;
    reached *= 1 - std::min(1.0, n * constant);
  }
  return 1 / tries;
}

ChanceResult<PseudoRandomRate> PseudoRandomRate::of(double probability) {
  if (!(probability >= 0 && probability <= 1)) return ChanceErrc::bad_probability;
  if (probability == 0 || probability == 1) return PseudoRandomRate(probability, probability);
  if (probability * static_cast<double>(kMaxRarity) < 1) return ChanceErrc::too_rare;
  double low = 0;
  double high = probability;  // P(C) grows with C, and is at least C
  for (;;) {
    const double middle = low + (high - low) / 2;
    if (middle == low || middle == high) return PseudoRandomRate(probability, high);
    (probability_of_constant(middle) < probability ? low : high) = middle;
  }
}

bool PseudoRandomRate::roll(RandomStream& stream, std::uint32_t& misses) const {
  if (stream.happens((static_cast<double>(misses) + 1) * constant_)) {
    misses = 0;
    return true;
  }
  if (misses < std::numeric_limits<std::uint32_t>::max()) ++misses;
  return false;
}

std::uint32_t PseudoRandomRate::certain_try() const {
  if (constant_ == 0) return 0;
  return static_cast<std::uint32_t>(std::ceil(1 / constant_));
}

}  // namespace starbus::entity
