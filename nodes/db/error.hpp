/// All errors of documents. Numbers travel: never reuse one.
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "base/result.hpp"

namespace starbus::nodes::db {

// X(code, number, retry, meaning, cure)
#define STARBUS_DB_ERRORS(X)                                                                       \
  X(bad_request, 1, never,                                                                         \
    "a name, id, path, bound or token does not have its form, or another request had the id; "     \
    "nothing was changed",                                                                         \
    "correct the request")                                                                         \
  X(bad_document, 2, never,                                                                        \
    "not an object of JSON values with valid UTF-8 and finite numbers up to int64",                \
    "correct the document")                                                                        \
  X(wrong_type, 3, never, "an operator met a value that it does not work on; nothing was changed", \
    "correct the path or the operator")                                                            \
  X(overflow, 4, never, "an increment leaves the range of its number; nothing was changed",        \
    "check the bound in the same request")                                                         \
  X(too_large, 5, never, "a document, request or path exceeds its limit; nothing was changed",     \
    "split it")                                                                                    \
  X(exists, 6, never, "there is such a document, or an index of that name with other fields",      \
    "read it, or choose another id")                                                               \
  X(not_found, 7, never, "there is no such document or index; nothing was changed",                \
    "treat it as absent")                                                                          \
  X(index_building, 8, later, "the index is not complete yet", "ask again later")                  \
  X(too_many, 9, never, "one more collection or index exceeds its limit; nothing was changed",     \
    "use fewer")                                                                                   \
  X(busy, 10, later, "too much waits for the disk; nothing was changed", "repeat it later")        \
  X(store_full, 11, later, "the disk is full; nothing was changed; reads and deletes go on",       \
    "free space on that host")                                                                     \
  X(corrupt, 12, never, "the bytes read are not the bytes written; the text names the row",        \
    "restore a backup")                                                                            \
  X(io_error, 13, later, "the disk failed to read; nothing was changed",                           \
    "look at the disk of that host")                                                               \
  X(outcome_unknown, 14, unknown, "the disk failed meanwhile; the write may or may not be there",  \
    "read the document, or repeat the request with its id")                                        \
  X(stopped, 15, later, "a disk error stopped all writing; nothing was changed, reads go on",      \
    "repair the disk, and start the node again")                                                   \
  X(closed, 16, later, "the database is closing or closed; nothing was changed",                   \
    "wait for its restart")                                                                        \
  X(newer_format, 17, never, "a newer version wrote this store",                                   \
    "run that version, or a newer one")                                                            \
  X(too_old, 18, unknown,                                                                          \
    "the retry comes when its answer may be forgotten: it may or may not be there",                \
    "read the document")                                                                           \
  X(not_here, 19, never,                                                                           \
    "the node has another database, or not this collection; nothing was changed",                  \
    "correct the name of the database")                                                            \
  X(unavailable, 20, later, "no database of that name answered in time; nothing was changed",      \
    "start its node; see the detail")                                                              \
  X(stale, 21, never, "a raise met a greater value; nothing was changed",                          \
    "read the document, and decide again")

STARBUS_ERRORS(Errc, std::uint8_t, kErrors, 5, "db", STARBUS_DB_ERRORS)

using starbus::BadResult;
using starbus::Error;
using starbus::name_of;
using starbus::Result;

}  // namespace starbus::nodes::db
