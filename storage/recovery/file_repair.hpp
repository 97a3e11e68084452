#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "storage/error.hpp"
#include "storage/leveldb/store_env.hpp"
#include "storage/recovery/damage_file.hpp"
#include "storage/recovery/manifest.hpp"
#include "storage/recovery/table_check.hpp"

namespace starbus::storage {

/// Repairs the files of a store that is closed, each as far as possible. Originals stay in lost/,
/// DAMAGE is on the disk before a file is replaced, and each replacement is one rename: so a repair
/// may be interrupted at any point and repeated. For the holder of the folder's lock. Blocks. One
/// thread.
class FileRepair {
 public:
  FileRepair(StoreEnv& env, std::string folder)
      : env_(env), folder_(std::move(folder)), notes_(env, folder_) {}

  /// Repairs the logs that the next open replays: whole records after damage are kept. An
  /// unfinished write at the end is left to LevelDB. True: something was repaired.
  Result<bool> logs();

  /// Repairs the logs, CURRENT, the manifest and all of its tables. False: the manifest cannot be
  /// read, and nothing was changed.
  Result<bool> everything(const RepairOptions& options);

  /// True if a readable but truncated manifest exists. LevelDB must not open it: it would delete
  /// the tables that the missing part lists.
  bool has_manifest() {
    const auto found = find_manifest(true);
    return found && found->has_value();
  }
  /// The damage that this object has found so far; each is in DAMAGE, too.
  const std::vector<DamageNote>& noted() const { return notes_.added(); }

 private:
  struct Found {
    std::string name;  // of the manifest
    ManifestReading reading;
  };
  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  Result<std::string> read(const std::string& name, bool leave_unreadable_out = false);
  std::vector<std::string> names() const;
  Result<std::optional<Found>> find_manifest(bool search);
  Result<bool> repair_logs(const Found& found);
  Result<bool> repair_log(std::uint64_t number, std::uint64_t& sequence);
  std::string table_name(const ManifestTable& table) const;
  bool is_usable(const Found& found, std::size_t gone_tables) const;
  Result<> repair_tables(Manifest& manifest, const RepairOptions& options, bool& changed);
  Result<> repair_table(ManifestTable& table, const RepairOptions& options, bool& changed);
  Result<> note_lost(const ManifestTable& table, const TableReading& reading,
                     const std::string& name, const std::string& kept);
  Result<> rebuild(ManifestTable& table, TableReading& reading);
  Result<> write_manifest(Manifest manifest);
  Result<> note(DamageNote note) { return notes_.add(std::move(note)); }
  Result<> replace(const std::string& name, std::string_view bytes) {
    return replace_file(env_, folder_, name, bytes);
  }
  std::string keep_aside(const std::string& name);

  StoreEnv& env_;
  const std::string folder_;
  DamageFile notes_;
  std::uint64_t next_file_ = 0;
  std::uint64_t last_sequence_ = 0;
};

}  // namespace starbus::storage
