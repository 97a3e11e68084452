/// Finds damage in the files that LevelDB replays when it opens a store: its logs and its manifest.
///
/// Why we read them, too: LevelDB reports a wrong checksum, but opens without a word, and deletes
/// the evidence, where
///   - a length in the last block points past the end of the file: taken for a write that was under
///     way, and everything after it is dropped;
///   - zeros stand in the last block where a record begins: the rest of it is skipped;
///   - a log has lost its end, or a whole log is gone: the numbers of the writes are not compared;
///   - the manifest has lost its end: the tables that the lost edits had added are deleted.
/// Each of them would lose acknowledged writes in silence. This reader only compares checksums and
/// numbers, once over files of at most some write buffers; storage/recovery does the rest, and runs
/// only if this finds something. tests/storage/check/log_check_test.cpp has a case for each.
#pragma once

#include <optional>
#include <string>

#include "storage/error.hpp"
#include "storage/leveldb/store_env.hpp"

namespace starbus::storage {

/// Where the first record is that is not as it was written ("000007.log: not as written at byte
/// 812"); nullopt if all are, or if LevelDB itself reports what is wrong. A write that was under
/// way in a crash is reported, too: only storage/recovery can tell it from damage. Blocks; needs
/// the folder's lock; io_error.
Result<std::optional<std::string>> find_log_damage(StoreEnv& env, const std::string& folder);

}  // namespace starbus::storage
