/// All errors of hosted services. Numbers travel: never reuse one.
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "base/result.hpp"

namespace starbus::nodes::service {

// X(code, number, retry, meaning, cure)
#define STARBUS_SERVICE_ERRORS(X)                                                                  \
  X(bad_name, 1, never,                                                                            \
    "a type or label is not 1..48 (label: 40) of a-z 0-9 _; nothing was changed",                  \
    "correct the name")                                                                            \
  X(duplicate, 2, never, "the type is registered already; nothing was changed",                    \
    "register each type once")                                                                     \
  X(too_many, 3, never, "one more exceeds a limit of services; nothing was changed", "use fewer")  \
  X(unknown_type, 4, never, "this host has no class for the type; nothing was changed",            \
    "register the type at this host")                                                              \
  X(bad_number, 5, never, "the number is not one of 1..count; nothing was changed",                \
    "correct the number")                                                                          \
  X(busy, 6, later, "the instance is still ending here; nothing was changed", "ask again later")   \
  X(not_ready, 7, later, "this host is not ready, or drains; nothing was changed",                 \
    "choose another host")                                                                         \
  X(stale_manager, 8, never, "a later manager has given orders already; nothing was changed",      \
    "end the older manager")                                                                       \
  X(start_failed, 9, later, "the instance could not start; the text has its reason",               \
    "read the reason")                                                                             \
  X(start_timeout, 10, later, "start() did not end within its deadline; the object was destroyed", \
    "raise the type's deadline")                                                                   \
  X(not_mine, 11, rebind, "the key belongs to another partition: the caller was routed wrongly",   \
    "use Partitions to call")                                                                      \
  X(wrong_partitions, 12, never,                                                                   \
    "the type runs with another number of partitions; nothing was sent",                           \
    "use the number of the manager's configuration")                                               \
  X(not_placed, 13, later, "the partition had no host until the deadline; the method did not run", \
    "raise the deadline, or see the manager's report")                                             \
  X(would_block, 14, later, "too many calls wait for partitions; nothing was sent",                \
    "send less, or raise kMaxWaitingCalls")                                                        \
  X(closed, 16, unknown,                                                                           \
    "the object that the call was made with has ended; the method may have run",                   \
    "keep the object for as long as you call")

STARBUS_ERRORS(Errc, std::uint8_t, kErrors, 6, "service", STARBUS_SERVICE_ERRORS)

using starbus::BadResult;
using starbus::Error;
using starbus::name_of;
using starbus::Result;

}  // namespace starbus::nodes::service
