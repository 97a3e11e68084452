/// What Database does for a folder that cannot be opened, or not be written to any more.
#include <leveldb/write_batch.h>

#include "storage/database.hpp"
#include "storage/envelope.hpp"
#include "storage/internal_keys.hpp"
#include "storage/leveldb_status.hpp"
#include "storage/table_salvage.hpp"

namespace starbus::storage {

// LevelDB's repair reads logs without their checksums, and takes tables for live that are only not
// removed yet. Opening, where that still works, leaves it neither. Returns the list of erased
// ranges as a sound store has it; no value: there is none, or it is lost.
std::optional<std::string> Database::replay_logs(leveldb::Status& status) {
  leveldb::Options options = leveldb_options();
  options.create_if_missing = false;
  leveldb::DB* opened = nullptr;
  status = leveldb::DB::Open(options, folder_, &opened);
  if (status.IsCorruption()) {
    options.paranoid_checks = false;  // as open_damaged
    status = leveldb::DB::Open(options, folder_, &opened);
  }
  if (!status.ok()) return std::nullopt;
  const std::unique_ptr<leveldb::DB> db(opened);
  leveldb::ReadOptions read;
  read.verify_checksums = true;
  std::string sealed;
  const bool found = db->Get(read, to_slice(kErasingKey), &sealed).ok();
  if (!found || !unseal(kErasingKey, sealed)) return std::nullopt;
  return sealed;
}

Result<> Database::repair(const StoreOptions& options) {
  Database database(options, disk_of(options));
  const auto error = [&](const leveldb::Status& status) {
    if (database.env_.lock_refused()) return Error(Errc::in_use, status.ToString());
    return error_of(status);
  };
  // LevelDB would make one, and call it repaired.
  if (!database.env_.FileExists(database.folder_)) {
    return Error(Errc::io_error, database.folder_ + ": no such folder");
  }
  leveldb::Status status;
  const std::optional<std::string> erasing = database.replay_logs(status);
  if (database.env_.lock_refused()) return error(status);
  // LevelDB's repair takes no lock.
  leveldb::FileLock* lock = nullptr;
  status = database.env_.LockFile(database.folder_ + "/LOCK", &lock);
  if (!status.ok()) return error(status);
  database.env_.sync_at_close();
  const Result<> salvaged = salvage_tables(database.env_, database.folder_);
  if (salvaged) status = leveldb::RepairDB(database.folder_, database.leveldb_options());
  database.env_.UnlockFile(lock);
  if (!salvaged) return salvaged;
  if (!status.ok()) return error(status);
  leveldb::DB* db = nullptr;
  status = leveldb::DB::Open(database.leveldb_options(), database.folder_, &db);
  if (!status.ok()) return error(status);
  database.db_.reset(db);
  // Where the newest list of erased ranges is lost, an older one may have come up: it would erase
  // what was put since. Erased keys that are back are the smaller harm.
  leveldb::WriteBatch mended;
  if (erasing) {
    mended.Put(to_slice(kErasingKey), *erasing);
  } else {
    mended.Delete(to_slice(kErasingKey));
  }
  leveldb::WriteOptions write;
  write.sync = true;
  status = database.db_->Write(write, &mended);
  if (!status.ok()) return error(status);
  // The block that is lost may have had the format.
  std::string sealed;
  if (!database.db_->Get({}, to_slice(kFormatKey), &sealed).IsNotFound()) return {};
  return database.write_format();
}

}  // namespace starbus::storage
