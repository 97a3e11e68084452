/// Every bound of archives and of properties, with its reason and with what happens when it is
/// reached.
#pragma once

#include <cstddef>

#include "base/limits.hpp"

namespace starbus::entity {

// X(constant, value, unit, reason, when reached)
#define STARBUS_DATA_LIMITS(X)                                                                    \
  X(kArchiveBytes, 16_MiB, "bytes", "read or written by one archive: the bus' record",            \
    "too_large")                                                                                  \
  X(kArchiveElements, 1024 * 1024, "elements",                                                    \
    "of all containers of one archive together: each costs time", "too_large")                    \
  X(kArchiveMemory, 64_MiB, "bytes",                                                              \
    "that sequences of one archive may occupy once read: a byte on the wire can be a large "      \
    "object",                                                                                     \
    "too_large")                                                                                  \
  X(kArchiveDepth, 32, "levels", "of nested classes: each is a stack frame or more", "too_deep")  \
  X(kMaxMembers, 254, "fields", "per struct: an index is a byte, 0 and 255 are reserved",         \
    "std::logic_error when the schema is built")                                                  \
  X(kMaxLevels, 7, "levels", "of nested structs and bags: the depth is three bits of a record",   \
    "std::logic_error when the schema is built")                                                  \
  X(kMaxFieldName, 64, "bytes", "a name stands before every saved value",                         \
    "std::logic_error when the schema is built")                                                  \
  X(kMaxKey, 64, "bytes",                                                                         \
    "of a text that is a key of a map or bag: keys are part of the path of a change", "bad_key")  \
  X(kMaxElements, 65'536, "elements", "per list, map or bag", "too_large")                        \
  X(kMaxValue, 65'536, "bytes", "per changed value, as encoded: it is copied for each audience",  \
    "too_large")                                                                                  \
  X(kMaxState, 16_MiB, "bytes", "of a snapshot or a saved form: the bus' record", "too_large")    \
  X(kHistoryBytes, 128, "bytes",                                                                  \
    "of changes in their order that an entity keeps beyond those of its last tick: an observer "  \
    "that is one tick behind gets these",                                                         \
    "the oldest tick goes; an observer that lags gets the newest values of what has changed")     \
  X(kStampedParts, 256, "parts",                                                                  \
    "of an entity, within structs and containers, whose last change is known for each by itself", \
    "the older half of those of one field becomes a stamp of that field: an observer that lags "  \
    "gets the whole field")                                                                       \
  X(kStampedBytes, 4'096, "bytes", "of the addresses of these", "as kStampedParts")               \
  X(kPendingBytes, 256_KiB, "bytes", "of changes within one tick: they are not read sooner",      \
    "if more than half is left once superseded ones went, all are dropped, and every audience "   \
    "takes a snapshot")                                                                           \
  X(kMaxObservers, 256, "observers", "in process, of one entity: each is asked at every change",  \
    "too_large")                                                                                  \
  X(kMaxCascade, 1024, "changes",                                                                 \
    "that observers may cause in answer to one: two of them may answer each other for ever",      \
    "further ones are made, but observers do not get them; they are counted")

STARBUS_LIMITS_OF(kDataLimits, STARBUS_DATA_LIMITS)

}  // namespace starbus::entity
