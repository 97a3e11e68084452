/// Every bound of flows, with its reason and with what happens when it is reached; and what can go
/// wrong. docs/guide/flows.md is checked against both tables by a test.
#pragma once

#include "entity/catalogue.hpp"
#include "entity/flows/error.hpp"

namespace starbus::entity {

// X(constant, value, unit, reason, when reached)
#define STARBUS_FLOW_LIMITS(X)                                                              \
  X(kMaxFlows, 1'024, "flows", "of one entity: they travel in its state", "too_many_flows") \
  X(kMaxFlowName, 64, "bytes", "the name of a method", "bad_name")                          \
  X(kMaxFlowArgs, 4'096, "bytes", "they are copied at each move", "too_large")              \
  X(kMaxFlowDeadline, 24, "hours", "an answer that takes longer is mail", "bad_deadline")

#define X(constant, value, unit, reason, reached) inline constexpr std::uint64_t constant = value;
STARBUS_FLOW_LIMITS(X)
#undef X

std::span<const LimitInfo> flow_limits();

}  // namespace starbus::entity
