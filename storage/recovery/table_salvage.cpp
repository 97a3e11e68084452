#include "storage/recovery/table_salvage.hpp"

#include <leveldb/table.h>
#include <leveldb/table_builder.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "storage/check/file_names.hpp"
#include "storage/check/table_blocks.hpp"
#include "storage/check/table_keys.hpp"
#include "storage/internal_keys.hpp"
#include "storage/leveldb/leveldb_status.hpp"
#include "storage/limits.hpp"

namespace starbus::storage {

leveldb::Options table_options(StoreEnv& env) {
  leveldb::Options options;
  options.comparator = &table_order();
  options.env = &env;
  options.paranoid_checks = true;
  options.block_size = kBlockSize;
  options.compression = leveldb::kNoCompression;
  return options;
}

namespace {

/// Whether LevelDB can find the blocks of it; io_error.
Result<bool> has_index(StoreEnv& env, const std::string& path) {
  std::uint64_t size = 0;
  leveldb::RandomAccessFile* opened = nullptr;
  leveldb::Status status = env.GetFileSize(path, &size);
  if (status.ok()) status = env.NewRandomAccessFile(path, &opened);
  if (!status.ok()) return error_of(status);
  const std::unique_ptr<leveldb::RandomAccessFile> file(opened);
  leveldb::Table* table = nullptr;
  status = leveldb::Table::Open(table_options(env), file.get(), size, &table);
  const std::unique_ptr<leveldb::Table> closed(table);
  return status.ok();
}

class Salvage {
 public:
  Salvage(StoreEnv& env, const std::string& folder) : env_(env), folder_(folder) {}

  Result<> run() {
    std::vector<std::string> names;
    const leveldb::Status listed = env_.GetChildren(folder_, &names);
    if (!listed.ok()) return error_of(listed);
    for (const std::string& name : names) newest_ = std::max(newest_, file_number(name));
    for (const std::string& name : names) {
      if (!name.ends_with(".ldb") && !name.ends_with(".sst")) continue;
      // LevelDB puts an unreadable file aside.
      const auto good = has_index(env_, folder_ + "/" + name);
      if (!good || *good) continue;
      if (auto saved = save(name); !saved) return saved;
    }
    return {};
  }

 private:
  /// Writes the new table before it moves the original: in between both are there, and LevelDB
  /// takes the same row twice for one.
  Result<> save(const std::string& name) {
    std::string bytes;
    const leveldb::Status read = leveldb::ReadFileToString(&env_, folder_ + "/" + name, &bytes);
    if (!read.ok()) return {};  // as above
    const std::string unfinished = folder_ + "/salvaged";
    const auto rows = write(bytes, unfinished);
    if (!rows) return rows.error();
    if (*rows == 0) {
      env_.RemoveFile(unfinished);
      return {};
    }
    leveldb::Status status =
        env_.RenameFile(unfinished, folder_ + "/" + table_file_name(++newest_));
    if (!status.ok()) return error_of(status);
    env_.CreateDir(folder_ + "/lost");  // mostly it is there
    status = env_.RenameFile(folder_ + "/" + name, folder_ + "/lost/" + name);
    if (!status.ok()) return error_of(status);
    return {};
  }

  /// How many rows.
  Result<std::uint64_t> write(std::string_view bytes, const std::string& path) {
    leveldb::WritableFile* made = nullptr;
    leveldb::Status status = env_.NewWritableFile(path, &made);
    if (!status.ok()) return error_of(status);
    const std::unique_ptr<leveldb::WritableFile> file(made);
    leveldb::TableBuilder builder(table_options(env_), file.get());
    std::string latest;
    visit_blocks(bytes, [&](const TableRow& row) {
      // In a table that was written as a whole they are in order.
      if (!latest.empty() && table_order().Compare(to_slice(latest), to_slice(row.key)) >= 0) {
        return;
      }
      latest = row.key;
      builder.Add(to_slice(row.key), to_slice(row.value));
    });
    status = builder.Finish();
    if (status.ok()) status = file->Sync();
    if (status.ok()) status = file->Close();
    if (!status.ok()) return error_of(status);
    return builder.NumEntries();
  }

  StoreEnv& env_;
  const std::string folder_;
  std::uint64_t newest_ = 0;  // number of a file
};

}  // namespace

Result<> salvage_tables(StoreEnv& env, const std::string& folder) {
  return Salvage(env, folder).run();
}

}  // namespace starbus::storage
