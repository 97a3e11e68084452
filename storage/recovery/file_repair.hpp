#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "storage/error.hpp"
#include "storage/recovery/damage_note.hpp"
#include "storage/recovery/manifest.hpp"
#include "storage/recovery/table_check.hpp"
#include "storage/store.hpp"
#include "storage/store_env.hpp"

namespace starbus::storage {

inline constexpr const char* kDamageFile = "DAMAGE";

/// Mends the files of a store that is closed, each as far as it can be: what was wrong stays in
/// lost/, DAMAGE is on the disk before anything is replaced, and each replacement is one rename. So
/// it may be cut off at any point and repeated. For whoever has the folder's lock. Blocks.
class Mending {
 public:
  Mending(StoreEnv& env, std::string folder) : env_(env), folder_(std::move(folder)) {}

  /// The logs that the next open replays: whole records behind damage are kept. What a write that
  /// was under way has left at the end is left to LevelDB. True: something was mended.
  Result<bool> logs();

  /// What `logs` does, and CURRENT, the manifest and all of its tables. False: the manifest cannot
  /// be read, and nothing was changed.
  Result<bool> everything(const RepairOptions& options);

  /// One that can be read: if `everything` was false, it has lost its end, and LevelDB, opened with
  /// it, would remove what that has lost.
  bool has_manifest() {
    const auto found = find_manifest(true);
    return found && found->has_value();
  }
  /// For what is mended elsewhere.
  Result<> note(DamageNote note);
  Result<> write_notes(const std::vector<DamageNote>& notes);
  /// So far, by this object.
  const std::vector<DamageNote>& noted() const { return noted_; }

 private:
  struct Found {
    std::string name;  // of the manifest
    ManifestReading reading;
  };
  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  Result<std::string> read(const std::string& name, bool leave_unreadable_out = false);
  std::vector<std::string> names() const;
  Result<std::optional<Found>> find_manifest(bool search);
  Result<bool> mend_logs(const Found& found);
  Result<bool> mend_log(std::uint64_t number, std::uint64_t& sequence);
  std::string table_name(const ManifestTable& table) const;
  bool is_usable(const Found& found, std::size_t gone_tables) const;
  Result<> mend_tables(Manifest& manifest, const RepairOptions& options, bool& changed);
  Result<> mend_table(ManifestTable& table, const RepairOptions& options, bool& changed);
  Result<> note_lost(const ManifestTable& table, const TableReading& reading,
                     const std::string& name, const std::string& kept);
  Result<> rebuild(ManifestTable& table, TableReading& reading);
  Result<> write_manifest(Manifest manifest);
  Result<> replace(const std::string& name, std::string_view bytes);
  Result<> write_file(const std::string& name, std::string_view bytes);
  std::string keep_aside(const std::string& name);

  StoreEnv& env_;
  const std::string folder_;
  std::vector<DamageNote> noted_;
  std::uint64_t next_file_ = 0;
  std::uint64_t last_sequence_ = 0;
};

}  // namespace starbus::storage
