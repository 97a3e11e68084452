/// All errors of chance.
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "base/result.hpp"

namespace starbus::entity {

// X(code, number, retry, meaning, cure)
#define STARBUS_CHANCE_ERRORS(X)                                                               \
  X(bad_probability, 1, never, "a probability is not a number from 0 to 1",                    \
    "write 0.25 for one in four")                                                              \
  X(too_rare, 2, never,                                                                        \
    "a probability above 0 is rarer than one in kMaxRarity, for which misses are not counted", \
    "roll it independently, by RandomStream::happens")                                         \
  X(no_weight, 3, never, "a choice has no entry, or none with a weight above 0",               \
    "give at least one entry a weight")                                                        \
  X(too_many_weights, 4, never, "a choice has more entries than kMaxWeights",                  \
    "choose a group first, and then within it")                                                \
  X(too_many_streams, 5, never, "an entity has kMaxStreams streams or counters of misses",     \
    "name them after kinds of rolls, not after what is rolled for")

STARBUS_ERRORS(ChanceErrc, std::uint8_t, kChanceErrors, 30, "chance", STARBUS_CHANCE_ERRORS)

using starbus::name_of;
template <class T = void>
using ChanceResult = Result<T>;

}  // namespace starbus::entity
