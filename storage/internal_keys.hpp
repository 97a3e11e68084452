/// The store's own keys: they begin with a zero byte, which no key of a user may.
#pragma once

#include <leveldb/slice.h>

#include <string_view>

namespace starbus::storage {

/// Holds the version of the store's format.
inline constexpr std::string_view kFormatKey{"\0format", 7};
/// The ranges that are hidden and being erased. One key and not one per range: LevelDB finds it
/// without touching the first blocks of users' tables, which may be damaged.
inline constexpr std::string_view kErasingKey{"\0erasing", 8};
/// Where the keys of users begin.
inline constexpr std::string_view kFirstKey{"\x01", 1};

/// The same bytes under another type; nothing is copied.
inline leveldb::Slice to_slice(std::string_view text) {
  return {text.data(), text.size()};
}
inline std::string_view to_view(const leveldb::Slice& slice) {
  return {slice.data(), slice.size()};
}

}  // namespace starbus::storage
