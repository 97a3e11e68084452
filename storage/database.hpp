#pragma once

#include <leveldb/db.h>

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "storage/error.hpp"
#include "storage/leveldb/leveldb_opening.hpp"
#include "storage/store.hpp"

namespace starbus::storage {

/// Owns the leveldb::DB of a store, and can open it again while other threads read: LevelDB writes
/// nothing after an error, and a log that a full disk has torn must not be continued. Readers hold
/// a `Use` during one call; opening again waits for them and they for it. Any thread; reopen and
/// close from one.
class Database {
 public:
  /// Errors as open_store.
  static Result<std::shared_ptr<Database>> open(const StoreOptions& options);
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
    /// Grows each time the DB is opened again.
    std::uint64_t generation() const { return database_->generation_; }

   private:
    friend class Database;
    explicit Use(Database& database) : database_(&database) {}
    Database* database_;
  };
  /// closed; or why it could not be opened again, mostly store_full.
  Result<Use> use();

  /// LevelDB's snapshot at this moment: would_block beyond kMaxSnapshots. Belongs to the DB, which
  /// releases it when it ends: give it back only under a Use of the same generation.
  Result<const leveldb::Snapshot*> take_snapshot(const Use& use);
  void release_snapshot(const Use& use, const leveldb::Snapshot* snapshot);

  /// Waits for the uses. All snapshots end. After an error there is no DB until the next try.
  Result<> reopen();
  /// As ~Database, while others still hold it: their calls return `closed`.
  void close();

  StoreEnv& env() { return opening_.env(); }
  const std::string& folder() const { return opening_.folder(); }
  /// Snapshots that are open.
  std::uint64_t snapshots() const;
  /// As LevelDbOpening.
  std::vector<std::string> damage() const { return opening_.damage(); }

 private:
  explicit Database(const StoreOptions& options) : opening_(options) {}
  Result<> open_db();
  void wait_until_unused(std::unique_lock<std::mutex>& lock);
  void end_snapshots();
  void leave();

  LevelDbOpening opening_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  int uses_ = 0;
  bool exclusive_ = false;  // being opened again, or closed
  bool closed_ = false;
  std::set<const leveldb::Snapshot*> snapshots_;
  // Changed only while exclusive_ and without uses; read under a Use.
  std::unique_ptr<leveldb::DB> db_;
  std::uint64_t generation_ = 0;
  Error not_open_;  // why there is no DB
};

}  // namespace starbus::storage
