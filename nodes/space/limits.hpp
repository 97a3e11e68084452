/// Every bound of names and types of spaces, with its reason and with what happens when it is
/// reached.
#pragma once

#include <cstdint>

#include "base/limits.hpp"

namespace starbus::nodes::space {

// X(constant, value, unit, reason, when reached, hit by)
#define STARBUS_SPACE_LIMITS(X)                                                                  \
  X(kMaxTypeName, 48, "bytes", "of a type of spaces: it is part of names, logs and metrics",     \
    "bad_name, or the file is refused", "SpaceNames.OfAnotherFormAreRefused")                    \
  X(kMaxKey, 64, "bytes", "of the key of a place: the id of a team or of a match", "bad_name",   \
    "SpaceNames.OfAnotherFormAreRefused")                                                        \
  X(kMaxLines, 4'096, "lines", "of one place: players choose among them", "the file is refused", \
    "SpaceFile.EachBoundIsNamedWithItsKey")                                                      \
  X(kMaxSpaceTypes, 1'024, "types", "in all files together: each is looked at once a tick",      \
    "the files are refused", "SpaceFile.MoreTypesThanTheLimitAreRefused")                        \
  X(kMaxCapacity, 10'000, "players", "in one space: it is one thread's work",                    \
    "the file is refused", "SpaceFile.EachBoundIsNamedWithItsKey")                               \
  X(kMaxTicksPerSecond, 60, "ticks per second", "of a space: one takes at least 16 ms",          \
    "the file is refused", "SpaceFile.EachBoundIsNamedWithItsKey")                               \
  X(kMaxWeight, 500, "ms per second",                                                            \
    "that a space is expected to cost: above it two would not fit on one node",                  \
    "the file is refused", "SpaceFile.EachBoundIsNamedWithItsKey")                               \
  X(kDefaultWeight, 50, "ms per second", "of a type that gives none", "it is the default",       \
    "SpaceFile.AShortTypeHasDefaults")                                                           \
  X(kShortestIdle, 1s, "an empty space stays: players who change lines come back",               \
    "the file is refused", "SpaceFile.EachBoundIsNamedWithItsKey")                               \
  X(kDefaultIdle, 60s, "of a type that gives none", "it is the default",                         \
    "SpaceFile.AShortTypeHasDefaults")                                                           \
  X(kLongestIdle, 24h, "an empty space holds a place on a node", "the file is refused",          \
    "SpaceFile.EachBoundIsNamedWithItsKey")                                                      \
  X(kDefaultCountdown, 10s, "of a type that gives none", "it is the default",                    \
    "SpaceFile.AShortTypeHasDefaults")                                                           \
  X(kLongestCountdown, 60min, "players watch it", "the file, or the request, is refused",        \
    "SpaceFile.EachBoundIsNamedWithItsKey")                                                      \
  X(kMaxSpaceLabels, 16, "labels", "of nodes, that a type asks for", "the file is refused",      \
    "SpaceFile.LabelsAreBounded")                                                                \
  X(kMaxSpaceLabel, 40, "bytes", "of a label, as of a role", "the file is refused",              \
    "SpaceFile.LabelsAreBounded")

STARBUS_LIMITS_OF(kSpaceLimits, STARBUS_SPACE_LIMITS)

}  // namespace starbus::nodes::space
