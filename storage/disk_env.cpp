#include "storage/disk_env.hpp"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace starbus::storage {
namespace {

class Table final : public leveldb::RandomAccessFile {
 public:
  Table(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  ~Table() override { ::close(descriptor_); }

  /// Less than `size` at the end of the file, as LevelDB expects.
  leveldb::Status Read(std::uint64_t offset, std::size_t size, leveldb::Slice* result,
                       char* scratch) const override {
    std::size_t got = 0;
    while (got < size) {
      const ssize_t more =
          ::pread(descriptor_, scratch + got, size - got, static_cast<off_t>(offset + got));
      if (more < 0 && errno == EINTR) continue;
      if (more < 0) return status_of_errno(path_, errno);
      if (more == 0) break;
      got += static_cast<std::size_t>(more);
    }
    *result = leveldb::Slice(scratch, got);
    return leveldb::Status::OK();
  }

 private:
  const std::string path_;
  const int descriptor_;
};

}  // namespace

leveldb::Status status_of_errno(const std::string& path, int error) {
  return leveldb::Status::IOError(path, std::generic_category().message(error));
}

leveldb::Status DiskEnv::NewRandomAccessFile(const std::string& path,
                                             leveldb::RandomAccessFile** file) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  *file = descriptor < 0 ? nullptr : new Table(path, descriptor);
  return descriptor < 0 ? status_of_errno(path, errno) : leveldb::Status::OK();
}

leveldb::Status DiskEnv::sync_folder(const std::string& folder) {
  const int directory = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return status_of_errno(folder, errno);
  const int error = ::fsync(directory) == 0 ? 0 : errno;
  ::close(directory);
  return error == 0 ? leveldb::Status::OK() : status_of_errno(folder, error);
}

leveldb::Status DiskEnv::available(const std::string& folder, std::uint64_t* bytes) {
  struct statvfs status {};
  if (::statvfs(folder.c_str(), &status) != 0) return status_of_errno(folder, errno);
  *bytes = std::uint64_t{status.f_bavail} * status.f_frsize;
  return leveldb::Status::OK();
}

}  // namespace starbus::storage
