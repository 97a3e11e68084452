#pragma once

#include <leveldb/cache.h>
#include <leveldb/db.h>
#include <leveldb/options.h>

#include <memory>
#include <string>
#include <vector>

#include "storage/error.hpp"
#include "storage/leveldb/store_env.hpp"
#include "storage/store.hpp"

namespace starbus::storage {

/// How a store opens LevelDB in its folder. Has LevelDB's options, environment and cache, and keeps
/// what opening had to repair or to leave out; a DB that it opened must end before it. One thread
/// at a time; damage() from any.
class LevelDbOpening {
 public:
  explicit LevelDbOpening(const StoreOptions& options);
  ~LevelDbOpening();

  /// Checks the logs, has them repaired if they are damaged, and opens; a new store gets its
  /// format. Errors as open_store.
  Result<std::unique_ptr<leveldb::DB>> open();
  /// Opens without that check. Leaves out what a power cut has torn at the end of a log.
  Result<std::unique_ptr<leveldb::DB>> open_files();

  leveldb::Options options() const;
  StoreEnv& env() { return env_; }
  const std::string& folder() const { return folder_; }
  /// The error of a failed opening; in_use if another program has the folder.
  Error error_of_opening(const leveldb::Status& status) const;
  /// Lines about what was repaired by opening, and what the last open left out of a log.
  std::vector<std::string> damage() const;

 private:
  class Messages;
  Result<> refuse_without_current();
  Result<> check_logs();
  Result<> repair_logs(const std::string& damage);
  Result<> leave_out_torn_end(const leveldb::Status& status);

  const std::string folder_;
  const std::uint64_t write_buffer_;
  const RepairLogs repair_logs_;
  StoreEnv env_;
  const std::unique_ptr<Messages> messages_;
  const std::unique_ptr<leveldb::Cache> cache_;
};

}  // namespace starbus::storage
