/// Every bound of replication, with its reason and with what happens when it is reached.
#pragma once

#include <cstdint>

#include "base/limits.hpp"
#include "nodes/replica/error.hpp"

namespace starbus::nodes::replica {

// X(constant, value, unit, reason, when reached)
#define STARBUS_REPLICA_LIMITS(X)                                                             \
  X(kMaxSnapshot, 16_MiB - 64_KiB, "bytes", "of a state: one record of the bus",              \
    "the mirror is told too_large, keeps what it has, and asks again later")                  \
  X(kMaxDelta, 256_KiB, "bytes", "of one change: each mirror holds up others meanwhile",      \
    "it is not sent; the mirrors take a snapshot instead")                                    \
  X(kMaxMirrors, 1'024, "mirrors", "of one publisher: each costs it a call per second",       \
    "too_many_mirrors to a further one, which asks again")                                    \
  X(kMirrorDeltas, 4'096, "changes", "kept by a mirror while a snapshot is on its way",       \
    "all that are kept are dropped; another snapshot follows")                                \
  X(kMirrorBytes, 4_MiB, "bytes", "of these together", "as kMirrorDeltas")                    \
  X(kFollow, 1s, "between two questions of a mirror where its publisher is", "it asks again") \
  X(kFollowDeadline, 2s, "of the answer to that", "the mirror grows stale, and asks again")   \
  X(kForget, 10s, "without a question of a mirror",                                           \
    "the publisher sends it nothing more until the next")                                     \
  X(kBehind, 2s, "that a mirror waits for changes which the publisher says it has sent",      \
    "it takes a snapshot")                                                                    \
  X(kSnapshotDeadline, 30s, "of a snapshot on its way", "it is asked for again")              \
  X(kSnapshotPause, 100ms, "until one is asked for again, first", "doubles")                  \
  X(kSnapshotLongest, 5s, "longest pause of that", "stays there")                             \
  X(kMirrorTick, 50ms, "between two looks of a mirror at what is due", "the next look")       \
  X(kBindAgain, 1s, "until a mirror that was refused its name asks for it again",             \
    "it asks again; the log has each other reason, and not each refusal")

STARBUS_LIMITS_OF(kReplicaLimits, STARBUS_REPLICA_LIMITS)

}  // namespace starbus::nodes::replica
