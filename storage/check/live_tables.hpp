#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace starbus::storage {

/// A table that LevelDB has in use.
struct LiveTable {
  std::uint64_t number = 0;  // of its file
  std::uint64_t bytes = 0;
  std::string first;  // the keys within which all of its own lie
  std::string last;
};

/// Parses LevelDB's property "leveldb.sstables", which is a text for people: keys with quotation
/// marks or backslashes may come out wrong. Skips malformed lines.
std::vector<LiveTable> read_live_tables(std::string_view property);

}  // namespace starbus::storage
