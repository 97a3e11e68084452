/// All errors of replication. Numbers travel: never reuse one.
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "base/result.hpp"

namespace starbus::nodes::replica {

// X(code, number, retry, meaning, cure)
#define STARBUS_REPLICA_ERRORS(X)                                                          \
  X(too_large, 1, never, "the state exceeds kMaxSnapshot, or the archive that carries it", \
    "publish less, or split the state")                                                    \
  X(too_many_mirrors, 2, later, "the publisher has as many as it may",                     \
    "mirror a mirror, or use fewer")                                                       \
  X(bad_name, 3, never, "the name is not a name of a mirror", "correct the name")          \
  X(refused, 4, never,                                                                     \
    "the replica did not take a snapshot or a change: its bytes are not of this build",    \
    "run one build on both sides")                                                         \
  X(unreachable, 5, later,                                                                 \
    "the publisher does not answer: its channel has no owner, or it is out of reach",      \
    "start the publisher; the mirror asks again")

STARBUS_ERRORS(Errc, std::uint8_t, kErrors, 7, "replica", STARBUS_REPLICA_ERRORS)

using starbus::BadResult;
using starbus::Error;
using starbus::name_of;
using starbus::Result;

}  // namespace starbus::nodes::replica
