/// Every bound of replication, with its reason and with what happens when it is reached.
#pragma once

#include <cstdint>

#include "base/limits.hpp"
#include "nodes/replica/error.hpp"

namespace starbus::nodes::replica {

// X(constant, value, unit, reason, when reached)
#define STARBUS_REPLICA_LIMITS(X)                                                          \
  X(kMaxSnapshot, 16_MiB - 64_KiB, "bytes", "of a state: one record of the bus",           \
    "the mirror gets too_large, keeps its state, and asks again later")                    \
  X(kMaxDelta, 256_KiB, "bytes", "per change: each mirror holds up others meanwhile",      \
    "it is not sent; the mirrors take a snapshot instead")                                 \
  X(kMaxMirrors, 1'024, "processes",                                                       \
    "with mirrors of one publisher: each costs it a question per second",                  \
    "too_many_mirrors to a further one, which asks again")                                 \
  X(kFollowBatch, 512, "publishers", "in one question of a process: others wait for it",   \
    "another question")                                                                    \
  X(kOwnerWatches, 256, "watches",                                                         \
    "of the names of publishers that a process mirrors: it has kMaxWatches for all",       \
    "of further publishers their process is watched, and tells the end of one")            \
  X(kMirrorDeltas, 4'096, "changes", "kept by a mirror while a snapshot is on its way",    \
    "all that are kept are dropped; another snapshot follows")                             \
  X(kMirrorBytes, 4_MiB, "bytes", "all of these together", "as kMirrorDeltas")             \
  X(kFollow, 1s, "between two questions of a mirror for the position of its publisher",    \
    "it asks again")                                                                       \
  X(kFollowDeadline, 2s, "for the answer", "the mirror grows stale, and asks again")       \
  X(kForget, 10s, "without a question of a mirror",                                        \
    "the publisher sends it nothing more until the next")                                  \
  X(kBehind, 2s, "that a mirror waits for changes which the publisher says it has sent",   \
    "it takes a snapshot")                                                                 \
  X(kSnapshotDeadline, 30s, "of a snapshot on its way", "it is asked for again")           \
  X(kSnapshotPause, 100ms, "until one is asked for again, first", "doubles")               \
  X(kSnapshotLongest, 5s, "longest pause of that", "stays there")                          \
  X(kMirrorTick, 50ms, "between two looks of a process for due work of its mirrors",       \
    "the next look")                                                                       \
  X(kBindAgain, 1s, "until a process that was refused the name of its mirrors asks again", \
    "it asks again; the log has each other reason, and not each refusal")

STARBUS_LIMITS_OF(kReplicaLimits, STARBUS_REPLICA_LIMITS)

}  // namespace starbus::nodes::replica
