/// Reads of one leveldb::DB, with every checksum verified.
#pragma once

#include <leveldb/db.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "storage/erasing_ranges.hpp"
#include "storage/error.hpp"
#include "storage/store.hpp"

namespace starbus::storage {

/// As Snapshot::get; a key in `hidden` is not there.
Result<std::optional<std::string>> read_value(leveldb::DB& db, leveldb::ReadOptions options,
                                              const std::vector<ErasingRange>& hidden,
                                              std::string_view key);

/// As Snapshot::scan.
Result<Page> read_page(leveldb::DB& db, leveldb::ReadOptions options,
                       const std::vector<ErasingRange>& hidden, std::string_view from,
                       std::string_view to, PageLimit limit);

}  // namespace starbus::storage
