/// Every bound of chance, with its reason and with what happens when it is reached.
#pragma once

#include "base/limits.hpp"
#include "entity/chance/error.hpp"

namespace starbus::entity {

// X(constant, value, unit, reason, when reached, hit by)
#define STARBUS_CHANCE_LIMITS(X)                                                                   \
  X(kMaxWeights, 16'384, "entries", "of one choice: its one draw is a number of 64 bits",          \
    "too_many_weights", "AliasTable.RefusesWhatCannotBeChosenFrom")                                \
  X(kMaxRarity, 100'000, "to one",                                                                 \
    "the rate of what is rarer takes a tenth of a second to compute, and means nothing to people", \
    "too_rare", "PseudoRandomRate.RefusesWhatIsNoProbability")                                     \
  X(kMaxStreams, 64, "names",                                                                      \
    "of streams, and of counters of misses, of one entity: saved and moved with it",               \
    "too_many_streams", "LuckTest.HasALimitOfNames")

STARBUS_LIMITS_OF(kChanceLimits, STARBUS_CHANCE_LIMITS)

}  // namespace starbus::entity
