/// The row that says in which format a store is.
#pragma once

#include <leveldb/db.h>

#include <string>

#include "storage/error.hpp"

namespace starbus::storage {

/// True: the store was new, and the row is written now. newer_format; corrupt if rows stand there
/// without it, or if it is damaged; io_error, store_full. `folder` is for error texts.
Result<bool> check_format(leveldb::DB& db, const std::string& folder);
/// Writes the row, and waits for the disk.
Result<> write_format(leveldb::DB& db);

}  // namespace starbus::storage
