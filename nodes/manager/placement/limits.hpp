/// Every bound of the placement, with its reason and with what happens when it is reached.
#pragma once

#include <cstdint>

#include "base/limits.hpp"

namespace starbus::nodes::manager {

// X(constant, value, unit, reason, when reached[, hit by])
#define STARBUS_PLACEMENT_LIMITS(X)                                                                \
  X(kMaxWantedTypes, 256, "types", "in one configuration: as a host may register",                 \
    "the configuration is refused")                                                                \
  X(kMaxServiceHosts, 1'024, "hosts", "of services: each is asked for its report once a second",   \
    "further ones are counted as left out, and get no instances until others have gone",           \
    "PlacementStateTest.HostsAreBounded")                                                          \
  X(kFirstAnswer, 3s, "for the first report of a new host: nothing is planned before",             \
    "it gets nothing, and its claims show its instances",                                          \
    "PlacementStateTest.SilentHostBlocksNothingAndKeepsClaims")                                    \
  X(kOrderDeadline, 2s, "for the answer to an order",                                              \
    "the host counts as silent: it gets nothing until it answers, and keeps what it holds")        \
  X(kHostInterval, 1s, "between two questions to a host for its report", "it is asked again")      \
  X(kHostSoon, 100ms, "the same, while something there is on its way, or it did not answer",       \
    "it is asked again")                                                                           \
  X(kAvoid, 10s, "that a host is not given an instance again which failed there",                  \
    "it may have it again", "PlacementStateTest.WhatFailedIsNotTriedThereForAWhile")               \
  X(kYouth, 10s,                                                                                   \
    "of service, in which an instance is suspected of the death of its host: less than a lease",   \
    "it has grown old, and its earlier deaths are forgotten",                                      \
    "DeathsTest.WhatHadNotBegunOrIsOldIsNotSuspected")                                             \
  X(kDeathPause, 12s, "without a place, for a suspect of a second death: its neighbours grow old", \
    "it is placed again; doubles with each further one")                                           \
  X(kLongestPause, 1min, "longest pause of that", "stays there")                                   \
  X(kSoleDeaths, 4, "deaths", "of hosts with the same instance as their only suspect",             \
    "it is in quarantine: nowhere, until an operator releases it",                                 \
    "DeathsTest.RepeatedHostDeathsPauseThenQuarantine")                                            \
  X(kDeathWindow, 10min, "without another death, for which deaths are remembered",                 \
    "they are forgotten")                                                                          \
  X(kSetbackRows, 1'000, "instances", "of a report of suspects: people read it",                   \
    "the report says how many it left out")                                                        \
  X(kPlacementTick, 100ms, "between two looks for due work", "the next look")

STARBUS_LIMITS_OF(kPlacementLimits, STARBUS_PLACEMENT_LIMITS)

}  // namespace starbus::nodes::manager
