/// Every bound of identity, with its reason and with what happens when it is reached.
#pragma once

#include "base/limits.hpp"
#include "entity/identity/error.hpp"

namespace starbus::entity {

// X(constant, value, unit, reason, when reached)
#define STARBUS_IDENTITY_LIMITS(X)                                                 \
  X(kMaxSlots, 4 * 1024 * 1024, "slots",                                           \
    "objects of a process: four times what a full node needs", "too_many_objects") \
  X(kMaxTypeDepth, 8, "types",                                                     \
    "from a root to its furthest descendant: a chain has a fixed place for each",  \
    "does not compile")

STARBUS_LIMITS_OF(kIdentityLimits, STARBUS_IDENTITY_LIMITS)

}  // namespace starbus::entity
