/// Every bound of the manager, with its reason and with what happens when it is reached.
#pragma once

#include <cstdint>

#include "base/limits.hpp"

namespace starbus::nodes::manager {

// X(constant, value, unit, reason, when reached[, hit by])
#define STARBUS_MANAGER_LIMITS(X)                                                                  \
  X(kMaxNodes, 4'096, "nodes", "each has a row, and is asked for its report",                      \
    "further ones are logged and counted as left out: not shown, not asked, not shut down; they "  \
    "are taken in when others have gone",                                                          \
    "TableTest.BeyondTheLimitNodesAreLeftOutAndCounted")                                           \
  X(kReportRows, 1'000, "nodes", "in one answer: people and one record read it",                   \
    "the answer says how many it left out")                                                        \
  X(kReportInterval, 1s, "between two questions to a node for its report", "it is asked again")    \
  X(kShutdownInterval, 250ms, "the same, of nodes that a shutdown waits for", "it is asked again") \
  X(kReportAgain, 20ms, "until all are asked again when the manager had no name of its own yet",   \
    "it is asked again")                                                                           \
  X(kReportDeadline, 1s, "for the answer", "the node counts as one that does not answer")          \
  X(kMaxQuestions, 256, "calls", "that wait for their answer",                                     \
    "the others are asked as answers come")                                                        \
  X(kPlacedBusy, 5, "ms per second",                                                               \
    "that an entity counts on the node it was placed on, until that reports: some ten of them "    \
    "are as much as a call that takes 50 ms",                                                      \
    "the report counts")                                                                           \
  X(kMaxStatus, 512, "bytes", "of the status text of a node", "it is cut")                         \
  X(kMaxStages, 32, "stages", "of a shutdown: people read them",                                   \
    "the process ends with exit code 2")                                                           \
  X(kMaxStageName, 40, "bytes", "of a stage: it stands in a table",                                \
    "the process ends with exit code 2")                                                           \
  X(kStageDeadline, 30s,                                                                           \
    "of a stage, unless the configuration says otherwise: above drain_deadline of nodes",          \
    "nodes that are still there are reported, and the next stage begins",                          \
    "StagesTest.DeadlineNotesRemainingNodesAsBlocked")                                             \
  X(kLeastStageDeadline, 100ms, "a node needs some time to save",                                  \
    "a configuration with less is refused")                                                        \
  X(kMostStageDeadline, 60min, "an operator waits for it", "a configuration with more is refused") \
  X(kMaxReason, 200, "bytes", "of a shutdown: a line in logs", "it is cut")                        \
  X(kDrainDeadline, 1s, "for the answer of a node to the order to drain", "the order is repeated") \
  X(kDrainAgain, 1s, "until an order to drain that did not arrive is repeated",                    \
    "again, until the deadline of the stage", "StagesTest.OneThatCouldNotBeToldIsToldAgain")       \
  X(kLastReportWait, 2s, "for a client to fetch the report of a shutdown that is done",            \
    "the manager ends, and its log has the report")                                                \
  X(kLastReportGrace, 300ms, "for further clients that fetch that report", "the manager ends")     \
  X(kMaxCounterName, 64, "bytes", "of a counter: its log is a name of the bus", "bad_name")        \
  X(kIdBlock, 1'048'576, "ids", "per grant, which is one fsync", "the next grant")                 \
  X(kStoreWait, 4s, "for the store that keeps a counter: less than the deadline of a call",        \
    "expired; nothing was granted")                                                                \
  X(kMaxSkip, 1'000, "blocks", "that one request skips: each is an fsync",                         \
    "too_large; ask again, in smaller steps")                                                      \
  X(kIdsLow, 131'072, "ids", "that are left when a source asks for its next block",                \
    "it asks, and gives out what it has meanwhile", "IdSourceTest.ItAsksForMoreBeforeItHasNone")   \
  X(kIdRetry, 1s, "until a source that was refused a block asks again", "it asks again")           \
  X(kMaxIdWaiters, 4'096, "waits", "for an id, of one source", "would_block",                      \
    "IdSourceTest.WhoeverIsRefusedIsToldInALaterTurn")                                             \
  X(kIdPass, 1'024, "waits", "that get their id in one turn of the loop: others wait, too",        \
    "the rest gets it in the next turn")                                                           \
  X(kIdPassTime, 5ms, "of these, after which no new one begins: as kIdPass",                       \
    "the rest gets it in the next turn", "IdSourceTest.SlowCallbacksLetOthersRun")

STARBUS_LIMITS_OF(kManagerLimits, STARBUS_MANAGER_LIMITS)

}  // namespace starbus::nodes::manager
