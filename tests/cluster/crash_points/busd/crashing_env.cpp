#include "tests/cluster/crash_points/busd/crashing_env.hpp"

#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <utility>

#include "storage/testing/fault_env.hpp"

namespace starbus::cluster_test {
namespace {

using storage::testing::Call;
static_assert(static_cast<DiskCall>(Call::open) == DiskCall::open);
static_assert(static_cast<DiskCall>(Call::append) == DiskCall::append);
static_assert(static_cast<DiskCall>(Call::sync) == DiskCall::sync);
static_assert(static_cast<DiskCall>(Call::rename) == DiskCall::rename);
static_assert(static_cast<DiskCall>(Call::remove) == DiskCall::remove);
static_assert(static_cast<DiskCall>(Call::sync_folder) == DiskCall::sync_folder);
static_assert(storage::testing::kCalls == 6, "another kind of call is counted there");

DiskFile file_of(const std::string& path) {
  if (path.ends_with(".log")) return DiskFile::log;
  if (path.ends_with(".ldb")) return DiskFile::table;
  if (path.ends_with(".dbtmp")) return DiskFile::temporary;
  if (path.ends_with("/CURRENT")) return DiskFile::current;
  return path.find("/MANIFEST-") != std::string::npos ? DiskFile::manifest : DiskFile::other;
}

[[noreturn]] void die() {
  ::kill(::getpid(), SIGKILL);
  std::abort();  // nobody comes here
}

}  // namespace

/// Makes the call, or dies of it.
template <class Make>
leveldb::Status CrashingEnv::change(DiskCall call, DiskFile file, Make&& make) {
  // Held by whoever dies: the kernel takes a moment to end the other threads.
  std::unique_lock lock(mutex_);
  const bool last = sheet_.note(call, file);
  if (!last) lock.unlock();
  if (last && sheet_.moment() == Moment::before) die();
  leveldb::Status status = make();
  if (last) die();
  return status;
}

class CrashingEnv::File : public leveldb::WritableFile {
 public:
  File(CrashingEnv& env, const std::string& path, leveldb::WritableFile* file)
      : env_(env), file_of_(file_of(path)), file_(file) {}

  leveldb::Status Append(const leveldb::Slice& data) override {
    std::unique_lock lock(env_.mutex_);
    if (!env_.sheet_.note(DiskCall::append, file_of_)) {
      lock.unlock();
      return file_->Append(data);
    }
    if (const Moment moment = env_.sheet_.moment(); moment != Moment::before) {
      const std::size_t size = moment == Moment::half ? data.size() / 2 : data.size();
      (void)file_->Append(leveldb::Slice(data.data(), size));
      (void)file_->Flush();  // LevelDB's file keeps it in the process otherwise
    }
    die();
  }
  leveldb::Status Close() override { return file_->Close(); }
  leveldb::Status Flush() override { return file_->Flush(); }
  leveldb::Status Sync() override {
    return env_.change(DiskCall::sync, file_of_, [this] { return file_->Sync(); });
  }

 private:
  CrashingEnv& env_;
  const DiskFile file_of_;
  const std::unique_ptr<leveldb::WritableFile> file_;
};

leveldb::Status CrashingEnv::NewWritableFile(const std::string& path,
                                             leveldb::WritableFile** file) {
  leveldb::WritableFile* made = nullptr;
  const leveldb::Status status =
      change(DiskCall::open, file_of(path), [&] { return target()->NewWritableFile(path, &made); });
  *file = status.ok() ? new File(*this, path, made) : nullptr;
  return status;
}

leveldb::Status CrashingEnv::RemoveFile(const std::string& path) {
  return change(DiskCall::remove, file_of(path), [&] { return target()->RemoveFile(path); });
}

leveldb::Status CrashingEnv::RenameFile(const std::string& from, const std::string& to) {
  return change(DiskCall::rename, file_of(to), [&] { return target()->RenameFile(from, to); });
}

leveldb::Status CrashingEnv::sync_folder(const std::string& folder) {
  return change(DiskCall::sync_folder, DiskFile::folder,
                [&] { return DiskEnv::sync_folder(folder); });
}

}  // namespace starbus::cluster_test
