#include "storage/leveldb/disk_env.hpp"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

namespace starbus::storage {

leveldb::Status status_of_errno(const std::string& path, int error) {
  return leveldb::Status::IOError(path, std::generic_category().message(error));
}

namespace {

class ReadFile final : public leveldb::RandomAccessFile {
 public:
  /// Owns the descriptor.
  ReadFile(std::string path, int file) : path_(std::move(path)), file_(file) {}
  ~ReadFile() override { ::close(file_); }

  /// Less than was asked for at the end of the file, which LevelDB calls corrupt.
  leveldb::Status Read(std::uint64_t offset, std::size_t size, leveldb::Slice* result,
                       char* scratch) const override {
    std::size_t read = 0;
    while (read < size) {
      const ssize_t some =
          ::pread(file_, scratch + read, size - read, static_cast<off_t>(offset + read));
      if (some < 0 && errno == EINTR) continue;
      if (some < 0) {
        *result = leveldb::Slice();
        return status_of_errno(path_, errno);
      }
      if (some == 0) break;
      read += static_cast<std::size_t>(some);
    }
    std::memset(scratch + read, 0, size - read);  // LevelDB looks at a whole footer
    *result = leveldb::Slice(scratch, read);
    return leveldb::Status::OK();
  }

 private:
  const std::string path_;
  const int file_;
};

}  // namespace

DiskEnv& disk_or_real(DiskEnv* env) {
  // LevelDB's default environment has a thread that lives as long as the process; so does this.
  static DiskEnv& real = *new DiskEnv;
  return env != nullptr ? *env : real;
}

leveldb::Status DiskEnv::NewRandomAccessFile(const std::string& path,
                                             leveldb::RandomAccessFile** file) {
  *file = nullptr;
  const int opened = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (opened < 0 && errno == ENOENT) {
    return leveldb::Status::NotFound(path, std::generic_category().message(ENOENT));
  }
  if (opened < 0) return status_of_errno(path, errno);
  *file = new ReadFile(path, opened);
  return leveldb::Status::OK();
}

leveldb::Status DiskEnv::sync_folder(const std::string& folder) {
  const int directory = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return status_of_errno(folder, errno);
  const int error = ::fsync(directory) == 0 ? 0 : errno;
  ::close(directory);
  return error == 0 ? leveldb::Status::OK() : status_of_errno(folder, error);
}

void DiskEnv::forget_cached(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  ::posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
  ::close(file);
}

leveldb::Status DiskEnv::available(const std::string& folder, std::uint64_t* bytes) {
  struct statvfs status {};
  if (::statvfs(folder.c_str(), &status) != 0) return status_of_errno(folder, errno);
  *bytes = std::uint64_t{status.f_bavail} * status.f_frsize;
  return leveldb::Status::OK();
}

}  // namespace starbus::storage
