#pragma once

#include <leveldb/options.h>

#include <string>

#include "storage/error.hpp"
#include "storage/store_env.hpp"

namespace starbus::storage {

/// Of tables that are read or written apart from LevelDB.
leveldb::Options table_options(StoreEnv& env);

/// For tables that LevelDB cannot open, as their end or their index is lost, and which its repair
/// would put aside with all that they have: the rows of their whole blocks go into new tables, and
/// the originals to FOLDER/lost. A row keeps its place among the writes. May be cut off and
/// repeated at any point. For a folder that nobody else has open; io_error, store_full. Blocks.
Result<> salvage_tables(StoreEnv& env, const std::string& folder);

}  // namespace starbus::storage
