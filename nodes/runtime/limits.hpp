/// Every bound of a node's runtime, with its reason and with what happens when it is reached.
#pragma once

#include <cstdint>

#include "base/limits.hpp"

namespace starbus::nodes {

// X(constant, value, unit, reason, when reached[, hit by])
#define STARBUS_TASK_LIMITS(X)                                                                    \
  X(kMaxWorkers, 64, "threads", "blocking drivers gain nothing from more",                        \
    "the number is lowered to it")                                                                \
  X(kMaxTasks, 65'536, "tasks", "each holds its closure, and its completion waits for the loop",  \
    "would_block")                                                                                \
  X(kMaxChannelTasks, 8'192, "tasks", "per channel: a slow one must not take the room of all",    \
    "would_block")                                                                                \
  X(kMaxChannelKey, 255, "bytes", "names of channels are those of entities and services",         \
    "bad_name", "TaskGraphTest.ABadChannelIsRefusedAtOnceOrToldLater")                            \
  X(kTaskStreak, 16, "tasks",                                                                     \
    "per channel in a row: caches of a driver stay warm, and others wait briefly",                \
    "the channel goes to the end of the line", "TaskChannelsTest.AHotChannelDoesNotStarveOthers") \
  X(kMaxReportedChannels, 64, "names", "of a shutdown that gave up: people read them",            \
    "the rest is counted", "TaskChannelsTest.ReportsABoundedNumberOfNames")                       \
  X(kMaxGraphTasks, 65'536, "tasks", "per graph: their states are kept for the tasks after them", \
    "would_block", "TaskGraphTest.GraphsAreBounded")                                              \
  X(kGraphAtOnce, 64, "tasks",                                                                    \
    "per graph, handed to the workers unless it says otherwise: others have room there",          \
    "the next one begins when one of them has completed")

STARBUS_LIMITS_OF(kTaskLimits, STARBUS_TASK_LIMITS)

}  // namespace starbus::nodes
