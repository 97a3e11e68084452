/// The data blocks of a LevelDB table of this store, found without its index, which stands at the
/// end of the file: where that is cut off, or damaged, LevelDB gives the whole table up. Pure; for
/// any bytes.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

namespace starbus::storage {

struct TableRow {
  std::string_view key;    // as it stands in tables: table_keys.hpp
  std::string_view value;  // sealed, and sound if it was put
};

/// Calls `visit` with the rows of all blocks up to the first that is not whole; views are valid
/// during the call. A block is one if its checksum says so, and begins where the one before ended:
/// what lies behind a damaged block is not searched, since a body may have been made to look like a
/// block. A row is given only if its own checksum is right, too.
void visit_blocks(std::string_view table, const std::function<void(const TableRow&)>& visit);

}  // namespace starbus::storage
