/// What can go wrong in storage/, as values.
///
/// storage/ stands below the bus and includes nothing of it, so it has codes of its own: few,
/// because few of the bus' errors can happen on a disk, and one that the bus does not have
/// (`corrupt`) names a key. Whoever stands on both (busd, nodes/db) translates at that border. The
/// result type is the same as the bus': boost::system::result.
#pragma once

#include <boost/system/result.hpp>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace starbus::storage {

// X(code, meaning, what to do)
#define STARBUS_STORAGE_ERRORS(X)                                                                  \
  X(io_error, "the disk failed; a batch that ends so may or may not be there after the next open", \
    "read the reason; look at the disk before the store is opened again")                          \
  X(store_full, "the disk or the quota is full; nothing of the batch was kept",                    \
    "free space; the store recovers by itself, and reads go on meanwhile")                         \
  X(corrupt, "what was read is not what was written; the message names the key or the file",       \
    "restore that record; everything else stays readable")                                         \
  X(would_block, "a queue is full: the disk is slower than its writers",                           \
    "wait for a completion, then repeat")                                                          \
  X(closed, "the store is closing or closed; nothing of the batch was kept",                       \
    "do not use it after close()")                                                                 \
  X(stopped, "a disk error stopped all writing; nothing of the batch was kept",                    \
    "read the reason; mend the disk, then open the store again; reads go on meanwhile")            \
  X(stale, "the store was opened anew behind this snapshot, after a full disk",                    \
    "take a new snapshot")                                                                         \
  X(too_large, "a key, a value or a batch exceeds its limit", "split it")                          \
  X(bad_batch, "a key is empty or reserved, or a batch puts into a range that it erases",          \
    "correct the batch")                                                                           \
  X(newer_format, "a newer version wrote this store", "run that version, or a newer one")          \
  X(in_use, "another process, or another store of this one, has the folder open", "end that one")

enum class Errc : std::uint8_t {
  ok = 0,
#define X(code, meaning, cure) code,
  STARBUS_STORAGE_ERRORS(X)
#undef X
};

/// "store_full"; "ok" for ok.
std::string_view name_of(Errc code);
/// The second column of the table above; empty for ok.
std::string_view meaning_of(Errc code);

/// The code for programs, the text for people.
struct Error {
  Errc code = Errc::ok;
  std::string detail;
  std::string
      key;  ///< of corrupt: the record's, byte for byte; empty when a file or range is meant

  Error() = default;
  Error(Errc c) : code(c) {}  // NOLINT: an Errc is an Error without detail
  Error(Errc c, std::string text, std::string record = {})
      : code(c), detail(std::move(text)), key(std::move(record)) {}

  /// "corrupt: mb/7: checksum"
  std::string to_string() const;
  friend bool operator==(const Error& a, Errc b) { return a.code == b; }
};

/// Reading the value of a failed Result is a programming error and throws this.
class BadResult : public std::logic_error {
 public:
  explicit BadResult(const Error& error) : std::logic_error(error.to_string()) {}
};
[[noreturn]] inline void throw_exception_from_error(const Error& error,
                                                    const boost::source_location&) {
  throw BadResult(error);
}

template <class T = void>
using Result = boost::system::result<T, Error>;

/// Keys are bytes; for messages. "mb/7\x00\x2a", at most 64 bytes of it.
std::string printable(std::string_view key);

}  // namespace starbus::storage
