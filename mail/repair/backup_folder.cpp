#include "mail/repair/backup_folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "mail/repair/disk_space.hpp"

namespace starbus::mail {
namespace {

/// Closes a descriptor at the end of a scope.
class Closing {
 public:
  explicit Closing(int descriptor) : descriptor_(descriptor) {}
  ~Closing() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  Closing(const Closing&) = delete;
  Closing& operator=(const Closing&) = delete;
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

storage::Error refusal(const std::filesystem::path& path, const std::string& why) {
  return {storage::Errc::bad_batch, path.string() + why};
}

storage::Error failure(const std::filesystem::path& path, int error) {
  return explain(path, error, {.path = path, .otherwise = "give a folder on another disk"});
}

int write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno != EINTR) return errno;
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

}  // namespace

BackupFolder::~BackupFolder() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

storage::Result<BackupFolder> BackupFolder::make(const std::filesystem::path& path) {
  // "mail/" is the folder "mail".
  const auto named = path.has_filename() ? path : path.parent_path();
  const auto parent = named.parent_path();
  const Closing above(::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (above.get() < 0) return failure(parent, errno);
  const auto name = named.filename();
  const bool made = ::mkdirat(above.get(), name.c_str(), 0700) == 0;
  if (!made && errno != EEXIST) return failure(named, errno);
  const int opened =
      ::openat(above.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (opened < 0 && (errno == ELOOP || errno == ENOTDIR)) {
    return refusal(named, " is a link, or not a folder; give a folder that is not there yet");
  }
  if (opened < 0) return failure(named, errno);
  BackupFolder folder(opened, named);
  if (auto good = folder.check(); !good) return good.error();
  // Its name must be as durable as what will be in it.
  if (made && ::fsync(above.get()) != 0) return failure(parent, errno);
  return folder;
}

storage::Result<> BackupFolder::check() const {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) return failure(named_, errno);
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
  return "/proc/self/fd/" + std::to_string(descriptor_);
}

storage::Result<std::filesystem::path> BackupFolder::place() const {
  std::error_code error;
  auto real = std::filesystem::read_symlink(path(), error);
  if (error) return failure(path(), error.value());
  return real;
}

storage::Result<> BackupFolder::write(const char* name, std::string_view text) const {
  const auto told = named_ / name;
  const Closing file(
      ::openat(descriptor_, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (file.get() < 0) return failure(told, errno);
  if (const int error = write_all(file.get(), text); error != 0) return failure(told, error);
  if (::fsync(file.get()) != 0) return failure(told, errno);
  if (::fsync(descriptor_) != 0) return failure(named_, errno);
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
