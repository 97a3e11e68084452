/// All errors of a store. storage/ stands below the bus: callers that stand on both (busd,
/// nodes/db) translate where they join them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/result.hpp"

namespace starbus::storage {

// X(code, number, retry, meaning, cure)
#define STARBUS_STORAGE_ERRORS(X)                                                            \
  X(io_error, 1, unknown,                                                                    \
    "the disk failed; a batch that ends so may or may not be there after the next open",     \
    "read the reason; look at the disk before the store is opened again")                    \
  X(store_full, 2, later, "the disk or the quota is full; nothing of the batch was kept",    \
    "free space; the store recovers by itself, and reads go on meanwhile")                   \
  X(corrupt, 3, never,                                                                       \
    "the bytes read are not the bytes written; the message names the key or the file",       \
    "restore that record; everything else stays readable")                                   \
  X(would_block, 4, later, "a queue is full: the disk is slower than its writers",           \
    "wait for a completion, then repeat")                                                    \
  X(closed, 5, never, "the store is closing or closed; nothing of the batch was kept",       \
    "do not use it after close()")                                                           \
  X(stopped, 6, rebind, "a disk error stopped all writing; nothing of the batch was kept",   \
    "read the reason; repair the disk, then open the store again; reads go on meanwhile")    \
  X(stale, 7, rebind,                                                                        \
    "the store was opened again after this snapshot was taken, because the disk was full",   \
    "take a new snapshot")                                                                   \
  X(too_large, 8, never, "a key, a value or a batch exceeds its limit", "split it")          \
  X(bad_batch, 9, never,                                                                     \
    "a key is empty or reserved, or a batch puts into a range that it erases",               \
    "correct the batch")                                                                     \
  X(newer_format, 10, never, "a newer version wrote this store",                             \
    "run that version, or a newer one")                                                      \
  X(in_use, 11, later, "another process, or another store of this one, has the folder open", \
    "end that one")

STARBUS_ERRORS(Errc, std::uint8_t, kErrors, 2, "storage", STARBUS_STORAGE_ERRORS)

using starbus::BadResult;
using starbus::name_of;

/// An error that can name a record.
struct Error : starbus::Error {
  std::string
      key;  ///< of corrupt: the record's, byte for byte; empty if a file or range is damaged

  Error() = default;
  Error(Errc c) : starbus::Error(c) {}  // NOLINT: a code is an error without detail
  Error(Errc c, std::string text, std::string record = {})
      : starbus::Error(c, std::move(text)), key(std::move(record)) {}
};

template <class T = void>
using Result = starbus::Result<T, Error>;

/// Keys are bytes; for messages. "mb/7\x00\x2a", at most 64 bytes of it.
std::string printable(std::string_view key);

}  // namespace starbus::storage
