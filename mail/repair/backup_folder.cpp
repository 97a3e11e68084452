#include "mail/repair/backup_folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "base/write_all.hpp"
#include "mail/repair/disk_space.hpp"

namespace starbus::mail {
namespace {

storage::Error refusal(const std::filesystem::path& path, const std::string& why) {
  return {storage::Errc::bad_batch, path.string() + why};
}

storage::Error failure(const std::filesystem::path& path, int error) {
  return explain(path, error, {.path = path, .otherwise = "give a folder on another disk"});
}

}  // namespace

storage::Result<BackupFolder> BackupFolder::make(const std::filesystem::path& path) {
  // "mail/" is the folder "mail".
  const auto named = path.has_filename() ? path : path.parent_path();
  const auto parent = named.parent_path();
  const FileDescriptor above(::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!above) return failure(parent, errno);
  const auto name = named.filename();
  const bool made = ::mkdirat(above.get(), name.c_str(), 0700) == 0;
  if (!made && errno != EEXIST) return failure(named, errno);
  FileDescriptor opened(
      ::openat(above.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!opened && (errno == ELOOP || errno == ENOTDIR)) {
    return refusal(named, " is a link, or not a folder; give a folder that is not there yet");
  }
  if (!opened) return failure(named, errno);
  BackupFolder folder(std::move(opened), named);
  if (auto good = folder.check(); !good) return good.error();
  // Its name must be as durable as what will be in it.
  if (made && ::fsync(above.get()) != 0) return failure(parent, errno);
  return folder;
}

storage::Result<> BackupFolder::check() const {
  struct stat status {};
  if (::fstat(folder_.get(), &status) != 0) return failure(named_, errno);
  if (status.st_uid != ::geteuid()) {
    return refusal(named_, " belongs to another user; give a folder that is not there yet");
  }
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return refusal(named_, " may be written by other users; give a folder that is not there yet");
  }
  std::error_code error;
  const auto first = std::filesystem::directory_iterator(path(), error);
  if (error) return refusal(path(), ": " + error.message() + "; mount /proc");
  if (first != std::filesystem::directory_iterator()) {
    return refusal(named_,
                   " is there already and is not empty; give a folder that is not there yet");
  }
  return {};
}

std::filesystem::path BackupFolder::path() const {
  return "/proc/self/fd/" + std::to_string(folder_.get());
}

storage::Result<std::filesystem::path> BackupFolder::place() const {
  std::error_code error;
  auto real = std::filesystem::read_symlink(path(), error);
  if (error) return failure(path(), error.value());
  return real;
}

storage::Result<> BackupFolder::write(const char* name, std::string_view text) const {
  const auto told = named_ / name;
  const FileDescriptor file(
      ::openat(folder_.get(), name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) return failure(told, errno);
  if (const std::error_code error = write_all(file.get(), text)) {
    return failure(told, error.value());
  }
  if (::fsync(file.get()) != 0) return failure(told, errno);
  if (::fsync(folder_.get()) != 0) return failure(named_, errno);
  return {};
}

storage::Error BackupFolder::named(storage::Error error) const {
  const std::string by_descriptor = path().string();
  const std::string by_name = named_.string();
  for (auto at = error.detail.find(by_descriptor); at != std::string::npos;
       at = error.detail.find(by_descriptor, at + by_name.size())) {
    error.detail.replace(at, by_descriptor.size(), by_name);
  }
  return error;
}

}  // namespace starbus::mail
