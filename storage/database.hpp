#pragma once

#include <leveldb/cache.h>
#include <leveldb/db.h>
#include <leveldb/options.h>

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "storage/error.hpp"
#include "storage/store.hpp"
#include "storage/store_env.hpp"

namespace starbus::storage {

/// Owns the leveldb::DB of a store, its environment and its cache, and can open it anew while other
/// threads read: LevelDB does not write on after an error, and a log that a full disk has torn must
/// not be continued. Readers hold a `Use` for the time of one call; opening anew waits for them and
/// they for it. Any thread; reopen and close from one.
class Database {
 public:
  /// Errors as open_store.
  static Result<std::shared_ptr<Database>> open(const StoreOptions& options);
  static Result<> repair(const StoreOptions& options, const RepairOptions& repair);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// Keeps the DB open while it lives: for one call, not for longer.
  class Use {
   public:
    Use(Use&& other) noexcept : database_(std::exchange(other.database_, nullptr)) {}
    Use& operator=(Use&&) = delete;
    ~Use() {
      if (database_ != nullptr) database_->leave();
    }
    leveldb::DB* operator->() const { return database_->db_.get(); }
    leveldb::DB& operator*() const { return *database_->db_; }
    /// Grows when the DB was opened anew.
    std::uint64_t generation() const { return database_->generation_; }

   private:
    friend class Database;
    explicit Use(Database& database) : database_(&database) {}
    Database* database_;
  };
  /// closed; or why it could not be opened anew, mostly store_full.
  Result<Use> use();

  /// LevelDB's snapshot at this moment: would_block beyond kMaxSnapshots. Belongs to the DB, which
  /// releases it when it ends: give it back only under a Use of the same generation.
  Result<const leveldb::Snapshot*> take_snapshot(const Use& use);
  void release_snapshot(const Use& use, const leveldb::Snapshot* snapshot);

  /// Waits for the uses. All snapshots end. After an error there is no DB until the next try.
  Result<> reopen();
  /// As ~Database, while others still hold it: what they ask is `closed`.
  void close();

  StoreEnv& env() { return env_; }
  const std::string& folder() const { return folder_; }
  std::uint64_t snapshots() const;
  /// What opening has mended, and what the last open that had to leave something out has left out.
  std::vector<std::string> damage() const;

 private:
  explicit Database(const StoreOptions& options, DiskEnv& disk);
  leveldb::Options leveldb_options() const;
  Result<> open_db();
  Result<> mend_logs();
  Result<bool> mend(const RepairOptions& options);
  leveldb::Status open_mended();
  Result<> build_anew();
  Error lock_error_of(const leveldb::Status& status) const;
  Result<> write_missing_format();
  Result<> refuse_without_current();
  std::optional<std::string> replay_logs(leveldb::Status& status);
  Result<> open_damaged(const leveldb::Status& status);
  Result<bool> check_format();  // true: it was missing, from a new store, and is there now
  Result<> write_format();
  void wait_until_unused(std::unique_lock<std::mutex>& lock);
  void end_snapshots();
  void leave();

  const std::string folder_;
  const std::uint64_t write_buffer_;
  StoreEnv env_;
  class Messages;
  const std::unique_ptr<Messages> messages_;
  const std::unique_ptr<leveldb::Cache> cache_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  int uses_ = 0;
  bool exclusive_ = false;  // being opened anew, or closed
  bool closed_ = false;
  std::set<const leveldb::Snapshot*> snapshots_;
  // Changed only while exclusive_ and without uses; read under a Use.
  std::unique_ptr<leveldb::DB> db_;
  std::uint64_t generation_ = 0;
  Error not_open_;  // why there is no DB
};

}  // namespace starbus::storage
