/// Repairs a whole store: its files, and a manifest that cannot be read.
#include <leveldb/write_batch.h>

#include <memory>
#include <optional>
#include <string>

#include "storage/envelope.hpp"
#include "storage/format_row.hpp"
#include "storage/internal_keys.hpp"
#include "storage/leveldb/leveldb_opening.hpp"
#include "storage/leveldb/leveldb_status.hpp"
#include "storage/recovery/file_repair.hpp"
#include "storage/recovery/repair.hpp"
#include "storage/recovery/table_salvage.hpp"

namespace starbus::storage {
namespace {

class StoreRepair {
 public:
  explicit StoreRepair(const StoreOptions& options) : opening_(options) {}

  Result<> run(const RepairOptions& options) {
    // LevelDB would make a folder, and report success.
    if (!env().FileExists(folder())) {
      return Error(Errc::io_error, folder() + ": no such folder");
    }
    const auto repaired = repair_files(options);
    if (!repaired) return repaired.error();
    if (!*repaired) return rebuild();
    auto db = opening_.open_files();
    if (!db) return db.error();
    return write_missing_format(**db);
  }

 private:
  StoreEnv& env() { return opening_.env(); }
  const std::string& folder() const { return opening_.folder(); }

  /// False: the manifest is lost, and nothing was changed.
  Result<bool> repair_files(const RepairOptions& options) {
    leveldb::FileLock* lock = nullptr;
    const leveldb::Status locked = env().LockFile(folder() + "/LOCK", &lock);
    if (!locked.ok()) return opening_.error_of_opening(locked);
    const auto repaired = FileRepair(env(), folder()).everything(options);
    env().UnlockFile(lock);
    return repaired;
  }

  /// Makes a manifest of all tables and logs that there are, though not all of them may count.
  Result<> rebuild() {
    leveldb::Status status;
    std::optional<std::string> erasing;
    if (!FileRepair(env(), folder()).has_manifest()) erasing = replay_logs(status);
    if (env().lock_refused()) return opening_.error_of_opening(status);
    if (auto repaired = run_leveldb_repair(); !repaired) return repaired;
    auto db = opening_.open_files();
    if (!db) return db.error();
    if (auto written = write_erasing(**db, erasing); !written) return written;
    return write_missing_format(**db);
  }

  /// LevelDB's repair reads logs without their checksums, and takes tables for live that are only
  /// not removed yet. Opening, where that still works, leaves it neither. Returns the list of
  /// erased ranges as a sound store has it; nullopt if there is none, or if it is lost.
  std::optional<std::string> replay_logs(leveldb::Status& status) {
    leveldb::Options options = opening_.options();
    options.create_if_missing = false;
    leveldb::DB* opened = nullptr;
    status = leveldb::DB::Open(options, folder(), &opened);
    if (status.IsCorruption()) {
      options.paranoid_checks = false;  // leaves out torn writes
      status = leveldb::DB::Open(options, folder(), &opened);
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

  Result<> run_leveldb_repair() {
    // LevelDB's repair takes no lock.
    leveldb::FileLock* lock = nullptr;
    leveldb::Status status = env().LockFile(folder() + "/LOCK", &lock);
    if (!status.ok()) return opening_.error_of_opening(status);
    DamageNote note;
    note.file = "MANIFEST";
    note.lost = note.elsewhere = true;
    note.reason = "the file is lost; a new one is made of all tables and logs that can be read";
    Result<> done = DamageFile(env(), folder()).add(std::move(note));
    env().sync_at_close();
    if (done) done = salvage_tables(env(), folder());
    if (done) status = leveldb::RepairDB(folder(), opening_.options());
    env().UnlockFile(lock);
    if (!done) return done;
    if (!status.ok()) return opening_.error_of_opening(status);
    return {};
  }

  /// Where the newest list of erased ranges is lost, an older one may have come up: it would erase
  /// what was put since. Erased keys that are back are the smaller harm.
  Result<> write_erasing(leveldb::DB& db, const std::optional<std::string>& erasing) {
    leveldb::WriteBatch batch;
    if (erasing) {
      batch.Put(to_slice(kErasingKey), *erasing);
    } else {
      batch.Delete(to_slice(kErasingKey));
    }
    leveldb::WriteOptions write;
    write.sync = true;
    const leveldb::Status status = db.Write(write, &batch);
    if (!status.ok()) return opening_.error_of_opening(status);
    return {};
  }

  /// The block that is lost may have had the format.
  static Result<> write_missing_format(leveldb::DB& db) {
    std::string sealed;
    if (!db.Get({}, to_slice(kFormatKey), &sealed).IsNotFound()) return {};
    return write_format(db);
  }

  LevelDbOpening opening_;
};

}  // namespace

bool can_be_repaired(const Error& reason) {
  return reason == Errc::corrupt ||
         (reason == Errc::io_error && reason.detail.ends_with(StoreEnv::kTableIsGone));
}

Result<> repair_store(const StoreOptions& options, const RepairOptions& repair) {
  return StoreRepair(options).run(repair);
}

Result<std::vector<std::string>> repair_logs(StoreEnv& env, const std::string& folder) {
  FileRepair repair(env, folder);
  const auto repaired = repair.logs();
  if (!repaired) return repaired.error();
  std::vector<std::string> lines;
  for (const DamageNote& note : repair.noted()) {
    lines.push_back(note.file + ": " + note.reason + ", bytes " + std::to_string(note.from) +
                    " to " + std::to_string(note.to) + (note.lost ? ": lost" : ""));
  }
  return lines;
}

}  // namespace starbus::storage
