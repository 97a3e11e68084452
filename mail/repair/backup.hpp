/// Copies a mail store, as of one moment, into a store in a folder of its own. The file `BACKUP` is
/// written last: a folder without it is an incomplete backup.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "storage/store.hpp"

namespace starbus::mail {

/// Its name in the folder of a backup.
inline constexpr const char* kBackupFile = "BACKUP";

/// The facts about a backup, as its file has them.
struct BackupFacts {
  std::string host;  // whose store it was
  std::uint64_t begun_ms = 0;
  std::uint64_t ended_ms = 0;
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;    // of keys and values
  std::uint64_t damaged = 0;  // rows and blocks that could not be read, and are not in it
  // For progress only; not in the file.
  std::uint64_t boxes = 0;
  std::uint64_t messages = 0;
  friend bool operator==(const BackupFacts&, const BackupFacts&) = default;
};

std::string encode(const BackupFacts& facts);
/// nullopt if the text is malformed or cut.
std::optional<BackupFacts> decode_backup_facts(std::string_view text);
/// The facts of the backup in a folder. io_error if there is no such file, and so no complete
/// backup; corrupt if it is malformed.
storage::Result<BackupFacts> read_backup_facts(const std::filesystem::path& folder);

/// Checks the folder of a new store: absolute, missing or empty, with an existing parent. bad_batch
/// otherwise, with the reason.
storage::Result<> check_new_folder(const std::filesystem::path& folder);

/// Called after each page; false ends the copy, with `closed`.
using OnBackup = std::function<bool(const BackupFacts& so_far)>;

/// Blocks until all is copied and on the disk. `begun` has host and begun_ms. Writes into no folder
/// but the one that it has checked, whatever its name means later. bad_batch if that is not a new
/// folder of this user (check_new_folder, BackupFolder).
storage::Result<BackupFacts> copy_store(const storage::Snapshot& snapshot,
                                        const std::filesystem::path& target, BackupFacts begun,
                                        const OnBackup& on_progress);

/// fsync of a file or a folder.
storage::Result<> sync_path(const std::filesystem::path& path);

}  // namespace starbus::mail
