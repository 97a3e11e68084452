/// All errors of flows.
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "base/result.hpp"

namespace starbus::entity {

// X(code, number, retry, meaning, cure)
#define STARBUS_FLOW_ERRORS(X)                                                         \
  X(too_many_flows, 1, later,                                                          \
    "the entity waits for as many answers as it may, or the wheel is full",            \
    "wait for answers, or ask less at once")                                           \
  X(bad_name, 2, never, "the name is empty or too long", "correct the name")           \
  X(too_large, 3, never, "the arguments are too long",                                 \
    "keep large data in the entity, and pass a reference")                             \
  X(bad_deadline, 4, never, "the deadline is not in the future, or too far in it",     \
    "correct the deadline")                                                            \
  X(bad_bytes, 5, never, "the imported bytes are not an export, or break a limit",     \
    "run one build on both sides")                                                     \
  X(not_empty, 6, never, "the object that is to import has, or had, flows of its own", \
    "import into a new object")

STARBUS_ERRORS(FlowErrc, std::uint8_t, kFlowErrors, 12, "flow", STARBUS_FLOW_ERRORS)

using starbus::name_of;
using BadFlowResult = BadResult;
template <class T = void>
using FlowResult = Result<T>;

}  // namespace starbus::entity
