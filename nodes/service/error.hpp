/// What can go wrong with hosted services, as values. One table; docs/services.md is checked
/// against it by a test.
#pragma once

#include <boost/system/result.hpp>
#include <cstdint>
#include <string_view>

#include "entity/catalogue.hpp"

namespace starbus::nodes::service {

// X(code, meaning); the order is part of the wire: add at the end.
#define STARBUS_SERVICE_ERRORS(X)                                                           \
  X(bad_name, "a type or label is not 1..48 (label: 40) of a-z 0-9 _; nothing was changed") \
  X(duplicate, "the type is registered already; nothing was changed")                       \
  X(too_many, "one more exceeds a limit of docs/services.md; nothing was changed")          \
  X(unknown_type, "this host has no class for the type; nothing was changed")               \
  X(bad_number, "the number is not one of 1..count; nothing was changed")                   \
  X(busy, "the instance is still ending here; nothing was changed, ask again")              \
  X(not_ready, "this host is not ready, or drains; nothing was changed")                    \
  X(stale_manager, "a later manager has given orders already; nothing was changed")         \
  X(start_failed, "the instance could not start; the text has its reason")                  \
  X(start_timeout, "start() did not end within its deadline; the object was destroyed")     \
  X(not_mine, "the key belongs to another partition: the caller was routed wrongly")        \
  X(wrong_partitions, "the type runs with another number of partitions; nothing was sent")  \
  X(not_placed, "the partition was nowhere until the deadline; the method did not run")     \
  X(would_block, "too many calls wait for partitions; nothing was sent")                    \
  X(call_failed, "the call itself ended with an error, which is beside this one")           \
  X(closed, "the object that the call was made with has ended; the method may have run")

enum class Errc : std::uint8_t {
  ok = 0,
#define X(code, meaning) code,
  STARBUS_SERVICE_ERRORS(X)
#undef X
};

using ErrorInfo = entity::ErrorInfo<Errc>;
/// The whole table, in the order above.
std::span<const ErrorInfo> service_errors();
/// "not_mine"; "ok" for ok; "unknown" for a number that this version does not know.
std::string_view name_of(Errc code);

using Error = entity::CodedError<Errc>;
template <class T = void>
using Result = boost::system::result<T, Error>;

}  // namespace starbus::nodes::service
