/// Every bound of a node that runs spaces, with its reason and with what happens when it is
/// reached.
#pragma once

#include <cstdint>

#include "base/limits.hpp"

namespace starbus::nodes::space {

// X(constant, value, unit, reason, when reached, hit by)
#define STARBUS_SPACE_HOST_LIMITS(X)                                                       \
  X(kMaxHosted, 1'024, "spaces", "of one node: its announcement lists them once a second", \
    "would_block to the service, which tries another node", "HostedSpacesTest.SpacesAreBounded")

STARBUS_LIMITS_OF(kSpaceHostLimits, STARBUS_SPACE_HOST_LIMITS)

}  // namespace starbus::nodes::space
