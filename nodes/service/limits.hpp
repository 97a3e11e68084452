/// Every bound of hosted services, with its reason and with what happens when it is reached.
#pragma once

#include <cstdint>

#include "base/limits.hpp"

namespace starbus::nodes::service {

// X(constant, value, unit, reason, when reached[, hit by])
#define STARBUS_SERVICE_LIMITS(X)                                                              \
  X(kMaxTypeName, 48, "bytes", "it is part of names, of logs and of metrics",                  \
    "the start of the node, or its configuration, fails", "ServiceNames.OfAnotherFormAreNone") \
  X(kMaxTypes, 256, "types", "registered at one host: its report lists them",                  \
    "the start of the node fails as too_many")                                                 \
  X(kMaxCount, 4'096, "instances", "per type, or its partitions: as instances of a name",      \
    "a configuration with more is refused")                                                    \
  X(kMaxHosted, 1'024, "instances", "per host: one report lists them",                         \
    "too_many to the manager, which looks for another host")                                   \
  X(kMaxOrder, 2'048, "actions", "per order: each may begin or end an instance",               \
    "the order is refused as too_many, as a whole")                                            \
  X(kMaxLabels, 16, "labels", "per host, beside its role: people choose them",                 \
    "the configuration is refused")                                                            \
  X(kMaxLabel, 40, "bytes", "as a role", "the configuration is refused")                       \
  X(kMaxDetail, 255, "bytes", "why an instance has failed, for people", "it is cut")           \
  X(kStartDeadline, 30s, "of start(), unless the type says otherwise",                         \
    "the instance has failed (start_timeout); its object ends")                                \
  X(kStopDeadline, 15s, "of stop(): less than the deadline of a node's drain",                 \
    "its object ends without; logged, and counted")                                            \
  X(kClaimFirst, 100ms,                                                                        \
    "until the request for a claim or a name that another host has is repeated", "doubles")    \
  X(kClaimLongest, 1s, "longest pause of that", "stays there, for as long as it takes")        \
  X(kMaxWaitingCalls, 4'096, "calls",                                                          \
    "per Partitions object, that wait for a partition which is being placed", "would_block",   \
    "PartitionsTest.EveryOtherEndIsTyped")                                                     \
  X(kAskAgain, 200ms, "until a partition is tried again that its host had just given up",      \
    "again, until the call's deadline")                                                        \
  X(kGreeting, 2s, "for the answer of a partition's new owner to the greeting before calls",   \
    "it is greeted again")

STARBUS_LIMITS_OF(kServiceLimits, STARBUS_SERVICE_LIMITS)

}  // namespace starbus::nodes::service
