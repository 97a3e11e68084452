#pragma once

#include <leveldb/options.h>

#include <string>

#include "storage/error.hpp"
#include "storage/leveldb/store_env.hpp"

namespace starbus::storage {

/// Options for tables that are read or written outside of LevelDB's database.
leveldb::Options table_options(StoreEnv& env);

/// Saves tables that LevelDB cannot open, because their end or index is lost, and which its repair
/// would put aside as a whole: writes the rows of their whole blocks into new tables, and moves the
/// originals to FOLDER/lost. A row keeps its sequence number. May be interrupted and repeated at
/// any point. For the holder of the folder's lock; io_error, store_full. Blocks.
Result<> salvage_tables(StoreEnv& env, const std::string& folder);

}  // namespace starbus::storage
