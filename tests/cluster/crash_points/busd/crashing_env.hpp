#pragma once

#include <mutex>
#include <string>

#include "storage/leveldb/disk_env.hpp"
#include "tests/cluster/crash_points/crash_sheet.hpp"

namespace starbus::cluster_test {

/// The real disk, on which each call that changes it is counted, and one of which is the end of
/// this process: SIGKILL, before it, within it or after it, as the sheet says. Others that are
/// under way then end or do not, as with any kill; none begins. Any thread; outlives its stores.
class CrashingEnv : public storage::DiskEnv {
 public:
  explicit CrashingEnv(CrashSheet sheet) : sheet_(std::move(sheet)) {}

  leveldb::Status NewWritableFile(const std::string& path, leveldb::WritableFile** file) override;
  leveldb::Status RemoveFile(const std::string& path) override;
  leveldb::Status RenameFile(const std::string& from, const std::string& to) override;
  leveldb::Status sync_folder(const std::string& folder) override;

 private:
  class File;
  template <class Make>
  leveldb::Status change(DiskCall call, DiskFile file, Make&& make);

  std::mutex mutex_;
  CrashSheet sheet_;
};

}  // namespace starbus::cluster_test
