/// What can go wrong with data that is encoded, read, replayed or saved, as values: the codes that
/// archives and properties share. The result type is that of the other rooms:
/// boost::system::result.
#pragma once

#include <boost/system/result.hpp>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace starbus::entity {

// X(code, meaning, what to do)
#define STARBUS_DATA_ERRORS(X)                                                                    \
  X(malformed, "the bytes are not what their form says; nothing of them was kept",                \
    "the sender is of another build, or hostile: end the link, or take a snapshot")               \
  X(truncated, "the bytes end too early; nothing of them was kept", "as malformed")               \
  X(trailing, "there are bytes behind the end; nothing of them was kept", "as malformed")         \
  X(too_large, "a value, a container or the whole exceeds its limit; nothing was changed",        \
    "split it, or check it before it is written")                                                 \
  X(too_deep, "classes are nested deeper than the limit", "flatten the type")                     \
  X(refused, "a class's own load or save function threw; nothing was kept",                       \
    "read the text of the exception, which is the detail")                                        \
  X(schema_mismatch, "the other side declares its properties otherwise",                          \
    "run the same build on both sides, or exchange the saved form, which goes by name")           \
  X(wrong_audience, "the bytes are for another audience than this replica is",                    \
    "correct the route")                                                                          \
  X(gap, "changes between this replica's version and these are missing", "take a snapshot")       \
  X(history_lost, "the changes since that version are no longer kept", "send a snapshot")         \
  X(desync, "a change does not fit this replica's state; nothing of its batch was applied",       \
    "take a snapshot, and report it: it should not happen")                                       \
  X(replica, "only the real entity may be written, and this is a replica of it",                  \
    "write where the entity lives")                                                               \
  X(not_replica, "changes from outside are only taken by a replica", "call become_replica first") \
  X(unknown_path, "there is no such field or element", "look at the declaration")                 \
  X(no_such_key, "the map or bag has no such key; nothing was changed", "ask find() first")       \
  X(key_exists, "the bag has that key already; nothing was changed", "choose another key")        \
  X(bad_key, "a key that is empty or too long; nothing was changed", "shorten the key")           \
  X(bad_index, "the list has no such element; nothing was changed", "ask size() first")           \
  X(bag_full, "the bag has no free slot; nothing was changed", "refuse the item, or make room")   \
  X(bad_slot, "the slot is taken, or beyond the capacity; nothing was changed", "choose another") \
  X(type_changed, "a saved field has another type than declared, and no conversion is declared",  \
    "declare the conversion (Evolution::convert)")                                                \
  X(bad_json, "the JSON is not a value of that type; nothing was changed", "correct it")

enum class DataErrc : std::uint8_t {
  ok = 0,
#define X(code, meaning, cure) code,
  STARBUS_DATA_ERRORS(X)
#undef X
};

/// "history_lost"; "ok" for ok.
std::string_view name_of(DataErrc code);
/// The second column of the table above; empty for ok.
std::string_view meaning_of(DataErrc code);
/// The third column.
std::string_view cure_of(DataErrc code);

/// The code for programs, the text for people.
struct DataError {
  DataErrc code = DataErrc::ok;
  std::string detail;

  DataError() = default;
  DataError(DataErrc c) : code(c) {}  // NOLINT: a code is an error without detail
  DataError(DataErrc c, std::string text) : code(c), detail(std::move(text)) {}

  /// "type_changed: Player.gold"
  std::string to_string() const;
  friend bool operator==(const DataError& a, DataErrc b) { return a.code == b; }
};

/// Thrown by what has no result to return (operator=, at()) and by reading a failed result: the
/// call was a programming error.
class BadData : public std::logic_error {
 public:
  explicit BadData(const DataError& error)
      : std::logic_error(error.to_string()), code(error.code) {}
  DataErrc code;
};
[[noreturn]] inline void throw_exception_from_error(const DataError& error,
                                                    const boost::source_location&) {
  throw BadData(error);
}

template <class T = void>
using DataResult = boost::system::result<T, DataError>;

/// ok becomes an empty result.
inline DataResult<> result_of(DataErrc code) {
  if (code == DataErrc::ok) return {};
  return DataError(code);
}

}  // namespace starbus::entity
