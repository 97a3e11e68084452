#include "storage/leveldb/store_env.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

namespace starbus::storage {
namespace {

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

}  // namespace

class StoreEnv::File : public leveldb::WritableFile {
 public:
  File(StoreEnv& env, const std::string& path, leveldb::WritableFile* file)
      : env_(env),
        path_(path),
        folder_(folder_of(path)),
        is_log_(path.ends_with(".log")),
        is_table_(path.ends_with(".ldb")),
        is_watched_(is_log_ || path.find("/MANIFEST-") != std::string::npos),
        file_(file) {
    if (is_watched_) env_.note_written(path_, 0);
  }
  ~File() override {
    if (is_watched_) env_.note_closed(path_);
  }

  leveldb::Status Append(const leveldb::Slice& data) override {
    bytes_ += data.size();
    if (is_log_) env_.log_bytes_ += data.size();
    return file_->Append(data);
  }
  leveldb::Status Close() override {
    leveldb::Status status = env_.syncs_at_close_ ? Sync() : leveldb::Status::OK();
    const leveldb::Status closed = file_->Close();
    return status.ok() ? closed : status;
  }
  /// LevelDB flushes a table after each block of 4 KiB, although no one reads it before its sync:
  /// one call of the system for each, a third of what a compaction costs.
  leveldb::Status Flush() override { return is_table_ ? leveldb::Status::OK() : file_->Flush(); }
  leveldb::Status Sync() override {
    ++env_.syncs_;
    leveldb::Status status = file_->Sync();
    // Tables and the manifest: LevelDB syncs the folder itself, with the manifest.
    if (is_log_ && status.ok() && !name_is_durable_) {
      ++env_.syncs_;
      status = env_.disk_.sync_folder(folder_);
      name_is_durable_ = status.ok();
    }
    if (is_log_ && !status.ok()) ++env_.failed_log_syncs_;
    if (is_watched_ && status.ok()) env_.note_written(path_, bytes_);
    return status;
  }

 private:
  StoreEnv& env_;
  const std::string path_;
  const std::string folder_;
  const bool is_log_;
  const bool is_table_;
  const bool is_watched_;  // its name is looked after
  bool name_is_durable_ = false;
  std::uint64_t bytes_ = 0;
  const std::unique_ptr<leveldb::WritableFile> file_;
};

leveldb::Status StoreEnv::NewWritableFile(const std::string& path, leveldb::WritableFile** file) {
  leveldb::WritableFile* made = nullptr;
  leveldb::Status status = disk_.NewWritableFile(path, &made);
  *file = status.ok() ? new File(*this, path, made) : nullptr;
  return status;
}

leveldb::Status StoreEnv::NewAppendableFile(const std::string& path, leveldb::WritableFile** file) {
  // LevelDB appends only to reuse logs, and a log with a torn end must not be continued.
  *file = nullptr;
  return leveldb::Status::NotSupported(path, "files are not appended to");
}

leveldb::Status StoreEnv::RenameFile(const std::string& from, const std::string& to) {
  leveldb::Status status = disk_.RenameFile(from, to);
  if (!status.ok()) return status;
  ++syncs_;
  status = disk_.sync_folder(folder_of(to));
  if (to.ends_with("/CURRENT")) current_is_open_ = !status.ok();
  return status;
}

leveldb::Status StoreEnv::RemoveFile(const std::string& path) {
  // When CURRENT was renamed and its folder not synced, LevelDB takes the new manifest for useless
  // and removes it. But CURRENT names it already.
  if (current_is_open_ && path.find("/MANIFEST-") != std::string::npos) {
    return leveldb::Status::IOError(path, "CURRENT may name it");
  }
  return disk_.RemoveFile(path);
}

leveldb::Status StoreEnv::NewRandomAccessFile(const std::string& path,
                                              leveldb::RandomAccessFile** file) {
  leveldb::Status status = disk_.NewRandomAccessFile(path, file);
  // NotFound is what LevelDB answers for a key that is not there, too.
  return status.IsNotFound() ? leveldb::Status::IOError(path, kTableIsGone) : status;
}

void StoreEnv::note_written(const std::string& path, std::uint64_t synced) {
  const std::lock_guard lock(writing_mutex_);
  writing_[path] = synced;
}

void StoreEnv::note_closed(const std::string& path) {
  const std::lock_guard lock(writing_mutex_);
  writing_.erase(path);
}

std::vector<StoreEnv::Writing> StoreEnv::being_written() const {
  const std::lock_guard lock(writing_mutex_);
  std::vector<Writing> all;
  for (const auto& [path, synced] : writing_) all.push_back({path, synced});
  return all;
}

leveldb::Status StoreEnv::LockFile(const std::string& path, leveldb::FileLock** lock) {
  leveldb::Status status = disk_.LockFile(path, lock);
  // LevelDB's text for a lock that is held, by any process; other errors name only the path.
  lock_refused_ = status.ToString().starts_with("IO error: lock ");
  if (!status.ok() || lock_folder(folder_of(path))) return status;
  disk_.UnlockFile(*lock);
  *lock = nullptr;
  lock_refused_ = true;
  return leveldb::Status::IOError(path, "another store has its folder; was this file removed?");
}

leveldb::Status StoreEnv::UnlockFile(leveldb::FileLock* lock) {
  unlock_folder();
  return disk_.UnlockFile(lock);
}

/// False if another process has it. If folders cannot be locked, the lock file alone must do.
bool StoreEnv::lock_folder(const std::string& folder) {
  unlock_folder();
  folder_ = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder_ < 0 || ::flock(folder_, LOCK_EX | LOCK_NB) == 0) return true;
  const bool held = errno == EWOULDBLOCK;
  unlock_folder();
  return !held;
}

void StoreEnv::unlock_folder() {
  if (folder_ >= 0) ::close(folder_);
  folder_ = -1;
}

}  // namespace starbus::storage
