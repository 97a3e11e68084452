#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace starbus::storage {

/// A table that LevelDB has in use, as it says itself.
struct LiveTable {
  std::uint64_t number = 0;  // of its file
  std::uint64_t bytes = 0;
  std::string first;  // the keys within which all of its own lie
  std::string last;
};

/// From LevelDB's property "leveldb.sstables", which is made for people: keys with quotation marks
/// or backslashes may come out otherwise than they are. Lines that are not understood are left out.
std::vector<LiveTable> read_live_tables(std::string_view property);

}  // namespace starbus::storage
