/// Every bound of flows, with its reason and with what happens when it is reached; and what can go
/// wrong. docs/flows.md is checked against both tables by a test.
#pragma once

#include "entity/catalogue.hpp"

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

// X(code, meaning)
#define STARBUS_FLOW_ERRORS(X)                                                              \
  X(too_many_flows, "the entity waits for as many answers as it may, or the wheel is full") \
  X(bad_name, "the name is empty or too long")                                              \
  X(too_large, "the arguments are too long")                                                \
  X(bad_deadline, "the deadline is not in the future, or too far in it")                    \
  X(bad_bytes, "what is imported is no export, or breaks a limit")                          \
  X(not_empty, "the object that is to import has, or had, flows of its own")

enum class FlowErrc : std::uint8_t {
  ok = 0,
#define X(code, meaning) code,
  STARBUS_FLOW_ERRORS(X)
#undef X
};

std::span<const ErrorInfo<FlowErrc>> flow_errors();

/// "bad_bytes"; "ok" for ok.
std::string_view name_of(FlowErrc code);

/// What reading the value of a failed result throws.
using BadFlowResult = BadCode<FlowErrc>;

template <class T = void>
using FlowResult = boost::system::result<T, FlowErrc>;

}  // namespace starbus::entity
