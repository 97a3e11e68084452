/// Chance without long rows of luck or of bad luck: the pseudo-random distribution of Warcraft III
/// and Dota 2, for criticals, stuns and rare drops.
///
///   const auto critical = PseudoRandomRate::of(0.25);      // when the data are loaded
///   if (critical->roll(stream, misses)) ...                // misses: of this attacker, this
///   effect
///
/// The n-th try after a success succeeds with probability n * C, where C is such that successes
/// come as often as P says. So for P = 0.25 the first try has 8.5 %, and the 12th is certain. A
/// constant value of 16 bytes; from any thread. Failures are values.
#pragma once

#include <cstdint>

#include "entity/chance/error.hpp"
#include "entity/chance/random_stream.hpp"

namespace starbus::entity {

class PseudoRandomRate {
 public:
  /// Of what never happens.
  PseudoRandomRate() = default;
  /// Computes C by bisection, in up to a tenth of a second for the smallest P: once per value of
  /// the data, not per roll. 0 never happens and 1 always. Errors: bad_probability, too_rare (see
  /// kMaxRarity).
  static ChanceResult<PseudoRandomRate> of(double probability);

  /// One try. `misses` are the tries since the last success, of one entity and effect: 0 at first.
  /// They are kept when the rate changes, and go with the entity. Draws one number.
  bool roll(RandomStream& stream, std::uint32_t& misses) const;

  double probability() const { return probability_; }
  /// The C of this P.
  double constant() const { return constant_; }
  /// The try, from 1, that succeeds for certain; 0: none does.
  std::uint32_t certain_try() const;

 private:
  PseudoRandomRate(double probability, double constant)
      : probability_(probability), constant_(constant) {}

  double probability_ = 0;
  double constant_ = 0;
};

/// The P of a C, 0 < C <= 1: one through the mean number of tries.
double probability_of_constant(double constant);

}  // namespace starbus::entity
