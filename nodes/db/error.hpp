/// What can go wrong with documents, as values. One table; docs/db.md is checked against it by a
/// test.
#pragma once

#include <boost/system/result.hpp>
#include <cstdint>
#include <span>
#include <string_view>

#include "entity/catalogue.hpp"

namespace starbus::nodes::db {

// X(code, meaning)
#define STARBUS_DB_ERRORS(X)                                                                      \
  X(bad_request,                                                                                  \
    "a name, id, path, bound or token is not of its form, or another request had the id; "        \
    "nothing was changed")                                                                        \
  X(bad_document, "not an object of JSON values with valid UTF-8 and finite numbers up to int64") \
  X(wrong_type, "an operator met a value that it does not work on; nothing was changed")          \
  X(overflow, "an increment leaves the range of its number; nothing was changed")                 \
  X(too_large, "a document, request or path exceeds its limit; nothing was changed")              \
  X(exists, "there is such a document, or an index of that name with other fields")               \
  X(not_found, "there is no such document or index; nothing was changed")                         \
  X(index_building, "the index is not complete yet; ask again later")                             \
  X(too_many, "one more collection or index exceeds its limit; nothing was changed")              \
  X(busy, "too much waits for the disk; nothing was changed, repeat it later")                    \
  X(store_full, "the disk is full; nothing was changed; reads and deletes go on")                 \
  X(corrupt, "what was read is not what was written; the text names the row")                     \
  X(io_error, "the disk failed to read; nothing was changed")                                     \
  X(outcome_unknown, "the disk failed meanwhile; the write may or may not be there")              \
  X(stopped, "a disk error stopped all writing; nothing was changed, reads go on")                \
  X(closed, "the database is closing or closed; nothing was changed")                             \
  X(newer_format, "a newer version wrote this store")                                             \
  X(too_old, "the retry comes when its answer may be forgotten: it may or may not be there")      \
  X(not_here, "the node has another database, or not this collection; nothing was changed")       \
  X(unavailable, "no database of that name answered in time; nothing was changed")                \
  X(stale, "a raise met a greater value; nothing was changed")

/// Numbers travel: new codes come at the end.
enum class Errc : std::uint8_t {
  ok = 0,
#define X(code, meaning) code,
  STARBUS_DB_ERRORS(X)
#undef X
};

using ErrorInfo = entity::ErrorInfo<Errc>;
/// The whole table, in the order above.
std::span<const ErrorInfo> error_catalogue();
/// "store_full"; "ok" for ok.
std::string_view name_of(Errc code);

using Error = entity::CodedError<Errc>;
template <class T = void>
using Result = boost::system::result<T, Error>;

}  // namespace starbus::nodes::db
