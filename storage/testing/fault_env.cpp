#include "storage/testing/fault_env.hpp"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <thread>
#include <utility>

namespace starbus::storage::testing {
namespace {

bool is_manifest(const std::string& path) {
  return path.find("/MANIFEST-") != std::string::npos;
}

std::optional<std::string> content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

}  // namespace

class FaultEnv::File : public leveldb::WritableFile {
 public:
  File(FaultEnv& env, std::string path, leveldb::WritableFile* file)
      : env_(env), path_(std::move(path)), file_(file) {}

  leveldb::Status Append(const leveldb::Slice& data) override {
    if (const int error = env_.count(Call::append, path_); error != 0) {
      // A write that fails has often written something.
      (void)write(leveldb::Slice(data.data(), data.size() / 2));
      return status_of_errno(path_, error);
    }
    return write(data);
  }
  leveldb::Status Close() override { return file_->Close(); }
  leveldb::Status Flush() override { return leveldb::Status::OK(); }  // write() has
  leveldb::Status Sync() override {
    if (const int error = env_.count(Call::sync, path_); error != 0) {
      return status_of_errno(path_, error);
    }
    if (is_manifest(path_)) env_.names_are_durable();
    env_.delay();
    const std::lock_guard lock(env_.mutex_);
    Content& content = env_.files_[path_];
    if (!env_.lies_) content.synced = content.written;
    return leveldb::Status::OK();
  }

 private:
  leveldb::Status write(const leveldb::Slice& data) {
    leveldb::Status status = file_->Append(data);
    if (status.ok()) status = file_->Flush();
    const std::lock_guard lock(env_.mutex_);
    env_.files_[path_].written += data.size();
    return status;
  }

  FaultEnv& env_;
  const std::string path_;
  const std::unique_ptr<leveldb::WritableFile> file_;
};

class FaultEnv::Table : public leveldb::RandomAccessFile {
 public:
  Table(FaultEnv& env, std::string path, leveldb::RandomAccessFile* file)
      : env_(env), path_(std::move(path)), file_(file) {}

  leveldb::Status Read(std::uint64_t offset, std::size_t size, leveldb::Slice* result,
                       char* scratch) const override {
    const int error = env_.read_error_;
    return error != 0 ? status_of_errno(path_, error) : file_->Read(offset, size, result, scratch);
  }

 private:
  FaultEnv& env_;
  const std::string path_;
  const std::unique_ptr<leveldb::RandomAccessFile> file_;
};

leveldb::Status FaultEnv::NewRandomAccessFile(const std::string& path,
                                              leveldb::RandomAccessFile** file) {
  leveldb::RandomAccessFile* opened = nullptr;
  leveldb::Status status = DiskEnv::NewRandomAccessFile(path, &opened);
  *file = status.ok() ? new Table(*this, path, opened) : nullptr;
  return status;
}

void FaultEnv::fail(Call call, std::uint64_t nth, int error, bool lasting, std::string path_end) {
  const std::lock_guard lock(mutex_);
  faults_.push_back({call, nth, error, lasting, std::move(path_end)});
}

void FaultEnv::heal() {
  const std::lock_guard lock(mutex_);
  faults_.clear();
  cut_in_ = 0;
  cut_ = false;
}

std::uint64_t FaultEnv::calls() const {
  const std::lock_guard lock(mutex_);
  return total_;
}

std::uint64_t FaultEnv::calls(Call call) const {
  const std::lock_guard lock(mutex_);
  return per_call_[static_cast<std::size_t>(call)];
}

void FaultEnv::cut_power_at(std::uint64_t nth) {
  const std::lock_guard lock(mutex_);
  cut_in_ = nth;
}

bool FaultEnv::power_is_cut() const {
  const std::lock_guard lock(mutex_);
  return cut_;
}

void FaultEnv::set_available(std::optional<std::uint64_t> bytes) {
  const std::lock_guard lock(mutex_);
  available_ = bytes;
}

void FaultEnv::set_sync_delay(std::chrono::microseconds delay) {
  const std::lock_guard lock(mutex_);
  sync_delay_ = delay;
}

void FaultEnv::lie_about_syncs() {
  const std::lock_guard lock(mutex_);
  lies_ = true;
}

void FaultEnv::delay() {
  std::unique_lock lock(mutex_);
  const auto delay = sync_delay_;
  lock.unlock();
  if (delay.count() > 0) std::this_thread::sleep_for(delay);
}

int FaultEnv::count(Call call, const std::string& path) {
  const std::lock_guard lock(mutex_);
  ++total_;
  ++per_call_[static_cast<std::size_t>(call)];
  if (cut_in_ > 0 && --cut_in_ == 0) cut_ = true;
  if (cut_) return EIO;
  int error = 0;
  for (Fault& fault : faults_) {
    if (fault.call != call || !path.ends_with(fault.path_end)) continue;
    if (fault.nth > 0) --fault.nth;
    if (fault.nth > 0 || fault.error == 0) continue;
    if (error == 0) error = fault.error;
    if (!fault.lasting) fault.error = 0;
  }
  return error;
}

void FaultEnv::names_are_durable() {
  const std::lock_guard lock(mutex_);
  for (auto& [path, content] : files_) content.named = true;
  renamed_.clear();
}

leveldb::Status FaultEnv::NewWritableFile(const std::string& path, leveldb::WritableFile** file) {
  *file = nullptr;
  if (const int error = count(Call::open, path); error != 0) return status_of_errno(path, error);
  leveldb::WritableFile* made = nullptr;
  leveldb::Status status = target()->NewWritableFile(path, &made);
  if (!status.ok()) return status;
  *file = new File(*this, path, made);
  const std::lock_guard lock(mutex_);
  files_[path] = {};
  return status;
}

leveldb::Status FaultEnv::RemoveFile(const std::string& path) {
  // Removed at once, and for good: names that come back are harmless, names that are gone are not.
  if (const int error = count(Call::remove, path); error != 0) return status_of_errno(path, error);
  {
    const std::lock_guard lock(mutex_);
    files_.erase(path);
    renamed_.erase(path);
  }
  return target()->RemoveFile(path);
}

leveldb::Status FaultEnv::RenameFile(const std::string& from, const std::string& to) {
  if (const int error = count(Call::rename, to); error != 0) return status_of_errno(to, error);
  std::optional<std::string> before = content_of(to);
  leveldb::Status status = target()->RenameFile(from, to);
  if (!status.ok()) return status;
  const std::lock_guard lock(mutex_);
  renamed_.emplace(to, std::move(before));  // the oldest counts
  if (const auto file = files_.extract(from)) files_[to] = file.mapped();
  files_[to].named = true;  // or what was renamed over comes back
  return status;
}

leveldb::Status FaultEnv::sync_folder(const std::string& folder) {
  if (const int error = count(Call::sync_folder, folder); error != 0) {
    return status_of_errno(folder, error);
  }
  names_are_durable();
  return leveldb::Status::OK();
}

leveldb::Status FaultEnv::available(const std::string& folder, std::uint64_t* bytes) {
  {
    const std::lock_guard lock(mutex_);
    if (available_) {
      *bytes = *available_;
      return leveldb::Status::OK();
    }
  }
  return DiskEnv::available(folder, bytes);
}

void FaultEnv::lose_unsynced(Loss loss, std::uint64_t seed) {
  const std::lock_guard lock(mutex_);
  if (loss == Loss::none) {
    files_.clear();
    renamed_.clear();
    return;
  }
  std::mt19937_64 random(seed);
  for (const auto& [path, content] : files_) {
    if (!content.named && loss == Loss::all) {
      std::filesystem::remove(path);
      continue;
    }
    const std::uint64_t lost = content.written - content.synced;
    if (lost == 0 || !std::filesystem::exists(path)) continue;
    if (loss == Loss::garbage) {
      std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
      file.seekp(static_cast<std::streamoff>(content.synced));
      for (std::uint64_t i = 0; i < lost; ++i) file.put(static_cast<char>(random()));
    } else {
      const std::uint64_t kept = loss == Loss::torn ? random() % (lost + 1) : 0;
      std::filesystem::resize_file(path, content.synced + kept);
    }
  }
  for (const auto& [path, before] : renamed_) {
    if (before) {
      std::ofstream(path, std::ios::binary) << *before;
    } else {
      std::filesystem::remove(path);
    }
  }
  files_.clear();
  renamed_.clear();
}

}  // namespace starbus::storage::testing
