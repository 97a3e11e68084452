#include "mail/repair/detach.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace starbus::mail {
namespace {

constexpr const char* kDetachFile = "DETACHED";

}  // namespace

storage::Result<Detach> Detach::take(const std::filesystem::path& folder) {
  const std::string path = folder / kDetachFile;
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return storage::Error(storage::Errc::io_error, path + ": " + std::strerror(errno));
  if (::flock(file, LOCK_EX | LOCK_NB) == 0) return Detach(file);
  ::close(file);
  return storage::Error(storage::Errc::in_use,
                        folder.string() + ": another program holds this store; wait for it to end");
}

Detach::~Detach() {
  if (file_ >= 0) ::close(file_);
}

bool is_detached(const std::filesystem::path& folder) {
  const int file = ::open((folder / kDetachFile).c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool held = ::flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::close(file);
  return held;
}

}  // namespace starbus::mail
