/// Every bound of a node's entities, with its reason and with what happens when it is reached. One
/// table; docs/entity-hosts.md is checked against it by a test.
#pragma once

#include <cstdint>

#include "entity/catalogue.hpp"

namespace starbus::nodes::entities {

// X(constant, value, unit, reason, when reached)
#define STARBUS_ENTITY_HOST_LIMITS(X)                                                         \
  X(kIdWait, 5'000, "ms", "of one question for online ids, before a node is ready",           \
    "it is asked again, for as long as it takes; the log says so")                            \
  X(kSaveDeadline, 15'000, "ms", "of saving one entity: less than the deadline of a drain",   \
    "logged, and counted as unsaved; what the save does later is its own")                    \
  X(kArrivalWait, 60'000, "ms",                                                               \
    "that an entity is kept which was accepted and is not granted: twice the lease",          \
    "it is given up; a grant that still comes makes it anew")                                 \
  X(kWaitReport, 1'000, "ms", "between two lines of the log that say whom a drain waits for", \
    "the next line")                                                                          \
  X(kNamedWaiters, 5, "entities", "named in such a line, and in a status", "the rest is counted")

#define X(constant, value, unit, reason, reached) inline constexpr std::uint64_t constant = value;
STARBUS_ENTITY_HOST_LIMITS(X)
#undef X

/// The whole table, in the order above.
std::span<const entity::LimitInfo> entity_host_limits();

}  // namespace starbus::nodes::entities
