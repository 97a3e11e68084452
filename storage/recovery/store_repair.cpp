/// What Database does for a folder that cannot be opened, or not be written to any more.
#include <leveldb/write_batch.h>

#include "storage/database.hpp"
#include "storage/envelope.hpp"
#include "storage/internal_keys.hpp"
#include "storage/leveldb_status.hpp"
#include "storage/recovery/file_repair.hpp"
#include "storage/recovery/table_salvage.hpp"

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

Result<> Database::repair(const StoreOptions& options, const RepairOptions& repair) {
  Database database(options, disk_or_real(options.env));
  // LevelDB would make one, and call it repaired.
  if (!database.env_.FileExists(database.folder_)) {
    return Error(Errc::io_error, database.folder_ + ": no such folder");
  }
  const auto mended = database.mend(repair);
  if (!mended) return mended.error();
  if (!*mended) return database.build_anew();
  const leveldb::Status status = database.open_mended();
  if (!status.ok()) return database.lock_error_of(status);
  return database.write_missing_format();
}

/// LevelDB's errors, or that somebody else has the folder.
Error Database::lock_error_of(const leveldb::Status& status) const {
  if (env_.lock_refused()) return {Errc::in_use, status.ToString()};
  return error_of(status);
}

/// False: the manifest is lost, and nothing was changed.
Result<bool> Database::mend(const RepairOptions& options) {
  leveldb::FileLock* lock = nullptr;
  const leveldb::Status locked = env_.LockFile(folder_ + "/LOCK", &lock);
  if (!locked.ok()) return lock_error_of(locked);
  const auto mended = Mending(env_, folder_).everything(options);
  env_.UnlockFile(lock);
  return mended;
}

/// What a power cut has torn at the end of a log is left out, as by open_damaged.
leveldb::Status Database::open_mended() {
  leveldb::DB* db = nullptr;
  leveldb::Status status = leveldb::DB::Open(leveldb_options(), folder_, &db);
  if (status.IsCorruption() && open_damaged(status)) {
    status = leveldb::DB::Open(leveldb_options(), folder_, &db);
  }
  db_.reset(db);
  return status;
}

/// All tables and logs that there are, without a manifest that says which of them count.
Result<> Database::build_anew() {
  leveldb::Status status;
  std::optional<std::string> erasing;
  if (!Mending(env_, folder_).has_manifest()) erasing = replay_logs(status);
  if (env_.lock_refused()) return lock_error_of(status);
  // LevelDB's repair takes no lock.
  leveldb::FileLock* lock = nullptr;
  status = env_.LockFile(folder_ + "/LOCK", &lock);
  if (!status.ok()) return lock_error_of(status);
  DamageNote note;
  note.file = "MANIFEST";
  note.lost = note.elsewhere = true;
  note.reason = "it is lost; a new one is made of all tables and logs that can be read";
  Result<> salvaged = Mending(env_, folder_).note(std::move(note));
  env_.sync_at_close();
  if (salvaged) salvaged = salvage_tables(env_, folder_);
  if (salvaged) status = leveldb::RepairDB(folder_, leveldb_options());
  env_.UnlockFile(lock);
  if (!salvaged) return salvaged;
  if (status.ok()) status = open_mended();
  if (!status.ok()) return lock_error_of(status);
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
  status = db_->Write(write, &mended);
  if (!status.ok()) return lock_error_of(status);
  return write_missing_format();
}

/// The block that is lost may have had the format.
Result<> Database::write_missing_format() {
  std::string sealed;
  if (!db_->Get({}, to_slice(kFormatKey), &sealed).IsNotFound()) return {};
  return write_format();
}

}  // namespace starbus::storage
