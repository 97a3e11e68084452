/// All errors of data that is encoded, read, replayed or saved: archives and properties share them.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/error.hpp"
#include "base/result.hpp"

namespace starbus::entity {

// X(code, number, retry, meaning, cure)
#define STARBUS_DATA_ERRORS(X)                                                                     \
  X(malformed, 1, never, "the bytes do not have their form; nothing of them was kept",             \
    "the sender is of another build, or hostile: end the link, or take a snapshot")                \
  X(truncated, 2, never, "the bytes end too early; nothing of them was kept", "as malformed")      \
  X(trailing, 3, never, "there are bytes after the end; nothing of them was kept", "as malformed") \
  X(too_large, 4, never,                                                                           \
    "a value, a container or the whole exceeds its limit; nothing was changed",                    \
    "split it, or check it before it is written")                                                  \
  X(too_deep, 5, never, "classes are nested deeper than the limit", "flatten the type")            \
  X(refused, 6, never, "a class's own load or save function threw; nothing was kept",              \
    "read the text of the exception, which is the detail")                                         \
  X(schema_mismatch, 7, never, "the other side declares its properties otherwise",                 \
    "run the same build on both sides, or exchange the saved form, which goes by name")            \
  X(wrong_audience, 8, never, "the bytes are for another audience than this replica is",           \
    "correct the route")                                                                           \
  X(gap, 9, rebind, "changes between this replica's version and these are missing",                \
    "take a snapshot")                                                                             \
  X(history_lost, 10, rebind, "the changes since that version are no longer kept",                 \
    "send a snapshot")                                                                             \
  X(desync, 11, rebind,                                                                            \
    "a change does not fit this replica's state; nothing of its batch was applied",                \
    "take a snapshot, and report it: it should not happen")                                        \
  X(replica, 12, never, "only the real entity may be written, and this is a replica of it",        \
    "write where the entity lives")                                                                \
  X(not_replica, 13, never, "changes from outside are only taken by a replica",                    \
    "call become_replica first")                                                                   \
  X(unknown_path, 14, never, "there is no such field or element", "look at the declaration")       \
  X(no_such_key, 15, never, "the map or bag has no such key; nothing was changed",                 \
    "ask find() first")                                                                            \
  X(key_exists, 16, never, "the bag has that key already; nothing was changed",                    \
    "choose another key")                                                                          \
  X(bad_key, 17, never, "a key that is empty or too long; nothing was changed", "shorten the key") \
  X(bad_index, 18, never, "the list has no such element; nothing was changed", "ask size() first") \
  X(bag_full, 19, later, "the bag has no free slot; nothing was changed",                          \
    "refuse the item, or make room")                                                               \
  X(bad_slot, 20, never, "the slot is taken, or beyond the capacity; nothing was changed",         \
    "choose another")                                                                              \
  X(type_changed, 21, never,                                                                       \
    "a saved field has another type than declared, and no conversion is declared",                 \
    "declare the conversion (Evolution::convert)")                                                 \
  X(bad_json, 22, never, "the JSON is not a value of that type; nothing was changed",              \
    "correct it")                                                                                  \
  X(frozen, 23, later,                                                                             \
    "the entity moves to another process, and its state was packed; nothing was changed",          \
    "send it a message: that is handled where it lives next")

STARBUS_ERRORS(DataErrc, std::uint8_t, kDataErrors, 11, "data", STARBUS_DATA_ERRORS)

using starbus::name_of;

/// The meaning of the code; empty for ok.
std::string_view meaning_of(DataErrc code);

using DataError = Error;
/// Also thrown by what has no result to return (operator=, at()): a programming error.
using BadData = BadResult;
template <class T = void>
using DataResult = Result<T>;

/// ok becomes an empty result.
inline DataResult<> result_of(DataErrc code) {
  if (code == DataErrc::ok) return {};
  return DataError(code);
}

}  // namespace starbus::entity
