/// Every bound of baked files, with its reason and with what happens when it is reached.
#pragma once

#include <cstdint>

#include "base/limits.hpp"

namespace starbus::nav::formats {

// X(constant, value, unit, reason, when reached, hit by)
#define STARBUS_NAV_FORMAT_LIMITS(X)                                         \
  X(kMaxBakedBytes, 268'435'456, "bytes",                                    \
    "of a baked file: the largest grid with heights is 80 MiB", "too_large", \
    "Baked.RefusesFilesBeyondKMaxBakedBytes")

STARBUS_LIMITS_OF32(kLimits, STARBUS_NAV_FORMAT_LIMITS)

}  // namespace starbus::nav::formats
