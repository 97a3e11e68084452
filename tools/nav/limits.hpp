/// Every bound of starbus-nav, with its reason and with what happens when it is reached.
#pragma once

#include <cstdint>

#include "base/limits.hpp"

namespace starbus::nav_tool {

// X(constant, value, unit, reason, when reached, hit by)
#define STARBUS_NAV_TOOL_LIMITS(X)                                                                 \
  X(kMaxFrames, 200, "frames", "of a page: a search that has more steps takes several a frame",    \
    "steps are drawn together", "NavTool.APageOfALongSearchHasAtMostKMaxFrames")                   \
  X(kMaxShapes, 200'000, "shapes", "of a picture: a browser shows no more in time",                \
    "refused; choose a smaller map", "NavTool.RefusesPicturesBeyondKMaxShapes")                    \
  X(kMaxTrailPoints, 100'000, "points", "of all trails of a page, as above",                       \
    "refused; cut the file", "NavTool.RefusesTrailsBeyondKMaxTrailPoints")                         \
  X(kMaxTextBytes, 268'435'456, "bytes", "of a file that is read: as of a baked one", "too_large", \
    "NavTool.RefusesFilesBeyondKMaxTextBytes")

STARBUS_LIMITS_OF32(kLimits, STARBUS_NAV_TOOL_LIMITS)

}  // namespace starbus::nav_tool
