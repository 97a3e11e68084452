#include "storage/disk_env.hpp"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace starbus::storage {

leveldb::Status status_of_errno(const std::string& path, int error) {
  return leveldb::Status::IOError(path, std::generic_category().message(error));
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
