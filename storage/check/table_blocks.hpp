/// Finds the data blocks of a LevelDB table without its index, which is at the end of the file: if
/// that is cut off or damaged, LevelDB gives the whole table up. Pure; accepts any bytes.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

namespace starbus::storage {

/// One row of a table; views into the bytes of its block.
struct TableRow {
  std::string_view key;    // as it stands in tables: table_keys.hpp
  std::string_view value;  // sealed, and sound if it was put
};

/// Calls `visit` with the rows of all blocks up to the first damaged one; views are valid during
/// the call. Accepts a block by its checksum, directly after the one before: does not search after
/// a damaged block, since a posted body may look like a block. Gives only rows with a right
/// checksum.
void visit_blocks(std::string_view table, const std::function<void(const TableRow&)>& visit);

}  // namespace starbus::storage
