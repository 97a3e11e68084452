/// The folder that a backup is written to, in a place that other users may change meanwhile.
#pragma once

#include <filesystem>
#include <string_view>
#include <utility>

#include "base/file_descriptor.hpp"
#include "storage/error.hpp"

namespace starbus::mail {

/// A folder of this user alone, made or found empty, and open. Whoever owns the folder above may
/// rename it and put a link in its place: files still go into the folder that was checked, because
/// path() goes by the descriptor, and no other user can put a link into it. Owns the descriptor;
/// move only. One thread; what was opened through path() may be used by any.
class BackupFolder {
 public:
  /// Makes the folder with mode 0700, its name durable, or opens one that is empty. bad_batch if it
  /// is a link or no folder, is not empty, or belongs to, or may be written by, another user;
  /// io_error or store_full if the system refuses. Blocks for the disk.
  static storage::Result<BackupFolder> make(const std::filesystem::path& path);

  /// Means this folder while the object lives: /proc/self/fd/N.
  std::filesystem::path path() const;
  /// The present place of the folder, without links. io_error if /proc does not tell it.
  storage::Result<std::filesystem::path> place() const;
  /// Writes a new small file so that it survives a power cut. io_error if there is one of that
  /// name; store_full.
  storage::Result<> write(const char* name, std::string_view text) const;
  /// The error with the name that make() was given in the place of path().
  storage::Error named(storage::Error error) const;

 private:
  BackupFolder(FileDescriptor folder, std::filesystem::path named)
      : folder_(std::move(folder)), named_(std::move(named)) {}
  storage::Result<> check() const;

  FileDescriptor folder_;
  std::filesystem::path named_;
};

}  // namespace starbus::mail
