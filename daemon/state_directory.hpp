#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/file_descriptor.hpp"
#include "bus/core/error.hpp"

namespace starbus::daemon {

/// Takes the rights of other users from an existing folder, with a line in the log: who can open a
/// lock file, if only for reading, can hold the lock. io_error if that cannot be changed.
Result<> make_private(const std::filesystem::path& folder);

/// The folder that belongs to one running daemon: an exclusive lock, and small files that are
/// replaced atomically (the root's term, the journal of hosts). Open it before any socket: a second
/// daemon on the folder must refuse to start before it disturbs the first. Different files may
/// be written by different threads. The lock lasts as long as this object, and ends with the
/// process, even after kill -9.
class StateDirectory {
 public:
  /// A small file: larger state belongs into storage/.
  static constexpr std::size_t kMaxFile = 16 * 1024 * 1024;

  /// Creates the folder if need be; other users cannot reach it (0700). Errc::name_taken names the
  /// folder and the process that holds it; Errc::io_error otherwise.
  static Result<StateDirectory> open(const std::filesystem::path& folder);
  /// As open, but asks the process that holds the folder to stop (SIGTERM), and waits for its end.
  /// Blocks, at most `limit`; then Errc::name_taken.
  static Result<StateDirectory> take_over(const std::filesystem::path& folder,
                                          std::chrono::milliseconds limit);

  /// After success the new content survives a power cut; after an error or a crash the file has the
  /// old content or the new, never a mixture. `name` is a plain file name, not "lock".
  Result<> write(std::string_view name, std::string_view content);
  /// As write, but does not wait for the disk: survives any end of this process, but not a power
  /// cut, after which the file may be missing or empty. For content that a start of the same
  /// boot reads: a busy disk does not delay it.
  Result<> note(std::string_view name, std::string_view content);
  /// nullopt if there is no such file.
  Result<std::optional<std::string>> read(std::string_view name) const;

  const std::filesystem::path& path() const { return path_; }

 private:
  Result<> replace(std::string_view name, std::string_view content, bool durable);

  StateDirectory(std::filesystem::path path, FileDescriptor folder, FileDescriptor lock)
      : path_(std::move(path)), folder_(std::move(folder)), lock_(std::move(lock)) {}

  std::filesystem::path path_;
  FileDescriptor folder_;
  FileDescriptor lock_;
};

}  // namespace starbus::daemon
