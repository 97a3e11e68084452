#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "storage/leveldb/disk_env.hpp"

namespace starbus::storage {

/// LevelDB's environment, one per store. Adds the folder syncs that LevelDB leaves out (a log whose
/// name is lost in a power cut is lost with all acknowledged writes in it; the same goes for
/// CURRENT, which is renamed). Returns io_error where LevelDB would take a lost file for a missing
/// key. Counts
/// writes and syncs, so that the store knows what a failed write may have left on the disk. Any
/// thread.
class StoreEnv : public leveldb::EnvWrapper {
 public:
  /// The text of the io_error of a table that is missing.
  static constexpr const char* kTableIsGone = "the table is gone";

  explicit StoreEnv(DiskEnv& disk) : EnvWrapper(&disk), disk_(disk) {}
  ~StoreEnv() override { unlock_folder(); }

  leveldb::Status NewWritableFile(const std::string& path, leveldb::WritableFile** file) override;
  leveldb::Status NewAppendableFile(const std::string& path, leveldb::WritableFile** file) override;
  leveldb::Status NewRandomAccessFile(const std::string& path,
                                      leveldb::RandomAccessFile** file) override;
  leveldb::Status RemoveFile(const std::string& path) override;
  leveldb::Status RenameFile(const std::string& from, const std::string& to) override;
  /// Locks the folder, too: LevelDB's lock is a file, and if that is removed, a second store could
  /// open the folder.
  leveldb::Status LockFile(const std::string& path, leveldb::FileLock** lock) override;
  leveldb::Status UnlockFile(leveldb::FileLock* lock) override;

  DiskEnv& disk() { return disk_; }
  std::uint64_t syncs() const { return syncs_; }
  /// Bytes handed to log files: unchanged by a write that failed before it began.
  std::uint64_t log_bytes() const { return log_bytes_; }
  /// Syncs of log files that failed: the only failures after which a whole record may be in the
  /// log.
  std::uint64_t failed_log_syncs() const { return failed_log_syncs_; }
  bool lock_refused() const { return lock_refused_; }
  /// Logs and manifests that are open for writing, and how much of each the disk has confirmed.
  struct Writing {
    std::string path;
    std::uint64_t synced = 0;
  };
  std::vector<Writing> being_written() const;
  /// From now on syncs files before they are closed, which LevelDB's repair does not.
  void sync_at_close() { syncs_at_close_ = true; }

 private:
  class File;
  void note_written(const std::string& path, std::uint64_t synced);
  void note_closed(const std::string& path);
  bool lock_folder(const std::string& folder);
  void unlock_folder();

  DiskEnv& disk_;
  int folder_ = -1;  // a descriptor, while it is locked
  std::atomic<std::uint64_t> syncs_{0};
  std::atomic<std::uint64_t> log_bytes_{0};
  std::atomic<std::uint64_t> failed_log_syncs_{0};
  std::atomic<bool> lock_refused_{false};
  std::atomic<bool> current_is_open_{false};  // which manifest it names after a power cut
  std::atomic<bool> syncs_at_close_{false};
  mutable std::mutex writing_mutex_;
  std::map<std::string, std::uint64_t> writing_;  // by path: bytes that were synced
};

}  // namespace starbus::storage
