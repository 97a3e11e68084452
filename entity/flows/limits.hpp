/// Every bound of flows, with its reason and with what happens when it is reached.
#pragma once

#include "base/limits.hpp"
#include "entity/flows/error.hpp"

namespace starbus::entity {

// X(constant, value, unit, reason, when reached[, hit by])
#define STARBUS_FLOW_LIMITS(X)                                                           \
  X(kMaxFlows, 1'024, "flows", "per entity: they travel in its state", "too_many_flows", \
    "FlowsTest.HaveLimits")                                                              \
  X(kMaxFlowName, 64, "bytes", "the name of a method", "bad_name")                       \
  X(kMaxFlowArgs, 4'096, "bytes", "they are copied at each move", "too_large")           \
  X(kMaxFlowDeadline, 24h, "an answer that takes longer is mail", "bad_deadline")

STARBUS_LIMITS_OF(kFlowLimits, STARBUS_FLOW_LIMITS)

}  // namespace starbus::entity
