/// The keys in LevelDB's tables: a store's key and eight bytes after it, the sequence number of the
/// write and whether it put or erased. Needed to read a table outside of LevelDB. Pure.
#pragma once

#include <leveldb/comparator.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace starbus::storage {

/// Bytes of sequence number and kind after each key.
inline constexpr std::size_t kTableKeyTrailer = 8;

/// A key of the store, and whether the row puts it or erases it.
struct TableKey {
  std::string_view key;
  bool put = false;
};
/// nullopt if the bytes are malformed.
std::optional<TableKey> read_table_key(std::string_view bytes);

/// The store's part of the key.
std::string user_key(std::string_view bytes);

/// Their order, without shortened keys: of one key the latest write comes first.
const leveldb::Comparator& table_order();

}  // namespace starbus::storage
