/// The keys that stand in LevelDB's tables: a store's key, and behind it eight bytes, a number that
/// grows with each write, and whether it put or erased. LevelDB keeps that to itself; whoever reads
/// a table by itself needs it. Pure.
#pragma once

#include <leveldb/comparator.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace starbus::storage {

inline constexpr std::size_t kTableKeyTrailer = 8;

struct TableKey {
  std::string_view key;
  bool put = false;
};
/// nullopt: it is none.
std::optional<TableKey> read_table_key(std::string_view bytes);

/// The store's key in it.
std::string user_key(std::string_view bytes);

/// Their order, in which nothing is shortened: of one key the latest write comes first.
const leveldb::Comparator& table_order();

}  // namespace starbus::storage
