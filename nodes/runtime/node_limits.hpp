/// Every bound of a node's loop, states and drain, with its reason and with what happens when it is
/// reached.
#pragma once

#include <cstdint>

#include "base/limits.hpp"

namespace starbus::nodes {

// X(constant, value, unit, reason, when reached[, hit by])
#define STARBUS_NODE_LIMITS(X)                                                                   \
  X(kMaxPosted, 65'536, "closures",                                                              \
    "posted and not run: a loop that lags so far does not catch up", "would_block")              \
  X(kPassWork, 1'024, "closures", "run in one pass: links and timers wait meanwhile",            \
    "the rest runs in the next pass", "TurnTest.PassEndsAtClosureLimitNextContinues")            \
  X(kPassTime, 5ms, "per pass, after which no new closure begins: as kPassWork",                 \
    "the rest runs in the next pass")                                                            \
  X(kTimerSlice, 64, "timers", "fired between two looks at the clock of a pass",                 \
    "the clock is looked at", "TurnTest.SlowTimersAndClosuresDoNotStarveEachOther")              \
  X(kMaxSources, 4'096, "kinds of work", "each has a row in reports",                            \
    "further ones are counted together as (others)", "Load.KindsBeyondTheBoundShareARow")        \
  X(kMaxSourceName, 160, "bytes", "names of lambdas hold those of their templates", "it is cut") \
  X(kMaxThrownText, 512, "bytes",                                                                \
    "of what() of an exception, which a peer may have chosen, in a log line", "it is cut")       \
  X(kInspectSources, 100, "rows", "kinds of work in one report, the busiest first",              \
    "the report says how many it left out")                                                      \
  X(kStallLimit, 200ms, "two ticks of a game: players notice", "the stall is logged")            \
  X(kLeastStallLimit, 10ms, "the loop says so often that it advances, four times over",          \
    "a configuration with less is refused")                                                      \
  X(kTick, 100ms,                                                                                \
    "of a node's tick, unless it says otherwise: ten a second is what players "                  \
    "of most worlds need",                                                                       \
    "the next tick")                                                                             \
  X(kLeastTick, 1ms, "the lowest slot of the timers", "a configuration with less is refused")    \
  X(kLongestTick, 1min, "beyond that, use a timer", "a configuration with more is refused")      \
  X(kMaxRole, 40, "bytes", "of a role: ready/ROLE/HOST.NODE is a name of the bus",               \
    "the process ends with exit code 2")                                                         \
  X(kMaxRequirements, 64, "requirements", "each is a watch", "the start fails as bad_config",    \
    "Requirements.MistakesAreRefused")                                                           \
  X(kMaxNearNames, 1'024, "names", "looked at for the one that a misspelled requirement means",  \
    "the rest is not looked at")                                                                 \
  X(kMaxOffers, 1'024, "names", "that a node offers while it is ready; entities have no limit",  \
    "the start fails as bad_config")                                                             \
  X(kMaxSteps, 64, "steps", "before readiness, and as many of a drain: people read them",        \
    "the start fails as bad_config", "StepsTest.NamesAndNumbersAreBounded")                      \
  X(kMaxStepName, 64, "bytes", "of a step: it stands in logs and in the status",                 \
    "the start fails as bad_name", "StepsTest.NamesAndNumbersAreBounded")                        \
  X(kRetry, 1s, "until the request for a name that another process still has is repeated",       \
    "again, for as long as it takes")                                                            \
  X(kLeaveDeadline, 2s,                                                                          \
    "that a drained node waits for acknowledgements, unless it is configured: a peer may "       \
    "stand still",                                                                               \
    "it leaves, and the log names the receivers of the messages that are left")                  \
  X(kTaskPoll, 20ms, "between two looks at the tasks that a drain waits for", "the next look")   \
  X(kStuckGrace, 1s, "beyond drain_deadline, for a loop that could end the process itself",      \
    "the watcher ends it, with exit code 3")

STARBUS_LIMITS_OF(kNodeLimits, STARBUS_NODE_LIMITS)

}  // namespace starbus::nodes
