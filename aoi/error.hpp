/// All errors of a world. A success of `move` costs nothing for its error: see base/result.hpp.
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "base/result.hpp"

namespace starbus::aoi {

// X(code, number, retry, meaning, cure)
#define STARBUS_AOI_ERRORS(X)                                                             \
  X(bad_position, 1, never, "a coordinate is not a number or infinite",                   \
    "check the code that computes positions")                                             \
  X(bad_option, 2, never, "an option is negative, not a number or contradicts another",   \
    "correct it")                                                                         \
  X(unknown_entity, 3, never, "no such entity: never added, or removed", "forget the id") \
  X(unknown_sensor, 4, never, "no such sensor: never added, removed, or its entity was",  \
    "forget the id")                                                                      \
  X(too_many, 5, later, "a limit of the world is reached; the detail names it",           \
    "spread over more worlds")                                                            \
  X(too_large, 6, never, "a radius, a polygon or a state exceeds its limit",              \
    "see the limits of aoi")                                                              \
  X(busy, 7, later, "an update was asked for from within one", "wait until it returns")   \
  X(corrupt, 8, never, "bytes that no export and no recording wrote", "discard them")     \
  X(newer_format, 9, never, "a newer version wrote these bytes",                          \
    "run that version, or a newer one")                                                   \
  X(stale, 10, never, "a batch of a numbering that another has replaced", "drop it")      \
  X(out_of_step, 11, never, "a batch that does not follow the one before it",             \
    "begin a new numbering")

STARBUS_ERRORS(Errc, std::uint8_t, kErrors, 3, "aoi", STARBUS_AOI_ERRORS)

using starbus::BadResult;
using starbus::Error;
using starbus::name_of;
using starbus::Result;

}  // namespace starbus::aoi
