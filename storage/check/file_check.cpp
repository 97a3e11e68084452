#include "storage/check/file_check.hpp"

#include <leveldb/table.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "storage/check/file_names.hpp"
#include "storage/check/live_tables.hpp"
#include "storage/check/table_blocks.hpp"
#include "storage/check/table_keys.hpp"
#include "storage/envelope.hpp"
#include "storage/internal_keys.hpp"
#include "storage/leveldb/leveldb_status.hpp"

namespace starbus::storage {
namespace {

constexpr std::uint64_t kTold = 64 * 1024;  // bytes that are read between two calls of `read`

std::string other_size(std::uint64_t size, std::uint64_t expected) {
  return "it has " + std::to_string(size) + " bytes, and should have " + std::to_string(expected);
}

Result<std::vector<LiveTable>> live_tables(Database& database) {
  const auto use = database.use();
  if (!use) return use.error();
  std::string property;
  (*use)->GetProperty("leveldb.sstables", &property);
  return read_live_tables(property);
}

/// One table, from its first block to its last.
class TableCheck {
 public:
  TableCheck(Database& database, const FileCheck& check, const LiveTable& table)
      : database_(database), check_(check), expected_(table) {}

  /// True: go on with the next. io_error: the system has no descriptor now; nothing is reported.
  Result<bool> run() {
    leveldb::RandomAccessFile* opened = nullptr;
    const leveldb::Status status = open(&opened);
    file_.reset(opened);
    if (status.IsNotFound()) return report_if_live(whole("the file is gone"));
    if (!status.ok()) return error_of(status);
    std::uint64_t size = 0;
    if (const auto asked = disk().GetFileSize(path(), &size); !asked.ok()) {
      return report_if_live(whole(asked.ToString()));
    }
    leveldb::Options options;
    options.comparator = &table_order();
    options.paranoid_checks = true;
    leveldb::Table* table = nullptr;
    const leveldb::Status read = leveldb::Table::Open(options, file_.get(), size, &table);
    table_.reset(table);
    if (size != expected_.bytes)
      return report_if_live(behind_whole_blocks(other_size(size, expected_.bytes)));
    if (!read.ok()) return report_if_live(behind_whole_blocks(read.ToString()));
    return read_rows();
  }

 private:
  DiskEnv& disk() const { return database_.env().disk(); }
  std::string path() const { return database_.folder() + "/" + name_; }

  leveldb::Status open(leveldb::RandomAccessFile** file) {
    leveldb::Status status;
    for (const char* extension : {"ldb", "sst"}) {  // the second one of old versions of LevelDB
      name_ = table_file_name(expected_.number, extension);
      disk().forget_cached(path());
      status = disk().NewRandomAccessFile(path(), file);
      if (!status.IsNotFound()) return status;
    }
    name_ = table_file_name(expected_.number);
    return status;
  }

  std::unique_ptr<leveldb::Iterator> rows() const {
    leveldb::ReadOptions options;
    options.verify_checksums = true;
    return std::unique_ptr<leveldb::Iterator>(table_->NewIterator(options));
  }

  Result<bool> read_rows() {
    std::unique_ptr<leveldb::Iterator> at = rows();
    at->SeekToFirst();
    std::string from = expected_.first;
    for (;;) {
      if (!at->status().ok()) {
        const auto key = at->Valid() ? key_of(*at) : std::nullopt;
        const std::string to = key ? std::string(*key) : expected_.last + '\0';
        const auto goes_on = report_if_live({name_, from, to, at->status().ToString()});
        if (!goes_on || !*goes_on || !at->Valid()) return goes_on;
        // An iterator does not report a second damaged block.
        const std::string here = at->key().ToString();
        at = rows();
        at->Seek(here);
        continue;
      }
      if (!at->Valid()) break;
      if (const auto goes_on = check_row(*at, from); !goes_on || !*goes_on) return goes_on;
      at->Next();
    }
    return check_.read(std::exchange(bytes_, 0));
  }

  static std::optional<std::string_view> key_of(const leveldb::Iterator& at) {
    const auto key = read_table_key(to_view(at.key()));
    if (!key) return std::nullopt;
    return key->key;
  }

  Result<bool> check_row(const leveldb::Iterator& at, std::string& from) {
    const auto row = read_table_key(to_view(at.key()));
    if (!row) {
      return report_if_live({name_, from, expected_.last + '\0', "malformed key"});
    }
    const std::string behind = std::string(row->key) + '\0';
    const auto value =
        row->put ? unseal(row->key, to_view(at.value())) : Result<std::string_view>("");
    if (!value) {
      const auto goes_on =
          report_if_live({name_, std::string(row->key), behind, value.error().detail});
      if (!goes_on || !*goes_on) return goes_on;
    }
    from = behind;
    bytes_ += at.key().size() + at.value().size();
    return bytes_ < kTold || check_.read(std::exchange(bytes_, 0));
  }

  FileDamage whole(const std::string& reason) const {
    return {name_, expected_.first, expected_.last + '\0', reason};
  }

  /// Damage of a table without its end or its index: a repair can still find the blocks before it.
  FileDamage behind_whole_blocks(const std::string& reason) const {
    FileDamage damage = whole(reason);
    std::string bytes;
    if (!leveldb::ReadFileToString(&disk(), path(), &bytes).ok()) return damage;
    visit_blocks(bytes, [&](const TableRow& row) {
      if (const auto key = read_table_key(row.key)) damage.from = std::string(key->key) + '\0';
    });
    return damage;
  }

  /// Ignores a table that a compaction has replaced meanwhile.
  Result<bool> report_if_live(const FileDamage& damage) {
    const auto live = live_tables(database_);
    if (!live) return live.error();
    const bool is_live =
        std::ranges::find(*live, expected_.number, &LiveTable::number) != live->end();
    if (is_live) check_.damaged(damage);
    return check_.read(std::exchange(bytes_, 0));
  }

  Database& database_;
  const FileCheck& check_;
  const LiveTable& expected_;
  std::string name_;
  std::unique_ptr<leveldb::RandomAccessFile> file_;
  std::unique_ptr<leveldb::Table> table_;  // reads from file_
  std::uint64_t bytes_ = 0;                // read and not reported
};

/// Checks files that are found by name, and files that are being written: LevelDB has them open,
/// and would notice damage only at the next start.
Result<> check_names(Database& database, const FileCheck& check) {
  const auto use = database.use();
  if (!use) return use.error();
  StoreEnv& env = database.env();
  if (!env.FileExists(database.folder() + "/CURRENT")) {
    check.damaged({"CURRENT", {}, {}, "the file is gone"});
  }
  for (const StoreEnv::Writing& writing : env.being_written()) {
    std::uint64_t size = 0;
    const leveldb::Status status = env.GetFileSize(writing.path, &size);
    if (status.ok() && size >= writing.synced) continue;
    // It may have been closed meanwhile, and removed.
    const auto now = env.being_written();
    if (std::ranges::find(now, writing.path, &StoreEnv::Writing::path) == now.end()) continue;
    const std::string name = writing.path.substr(writing.path.rfind('/') + 1);
    check.damaged(
        {name, {}, {}, status.ok() ? other_size(size, writing.synced) : "the file is gone"});
  }
  return {};
}

}  // namespace

Result<> check_files(Database& database, const FileCheck& check) {
  if (const auto named = check_names(database, check); !named) return named;
  const auto tables = live_tables(database);
  if (!tables) return tables.error();
  for (const LiveTable& table : *tables) {
    const auto goes_on = TableCheck(database, check, table).run();
    if (!goes_on) return goes_on.error();
    if (!*goes_on) break;
  }
  return {};
}

}  // namespace starbus::storage
