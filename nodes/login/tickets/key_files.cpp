#include "nodes/login/tickets/key_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/file_descriptor.hpp"
#include "base/write_all.hpp"
#include "nodes/login/tickets/limits.hpp"

namespace starbus::nodes::login {
namespace {

Error refused(const std::string& path, const std::string& why) {
  return {Errc::bad_key, path + ": " + why};
}
Error by_system(const std::string& path) {
  return refused(path, std::strerror(errno));
}

/// link() refuses an existing file, also one that appeared a moment ago; rename() replaces it.
Result<> move_into_place(const std::string& draft, const std::string& path, bool replace) {
  const int failed =
      replace ? ::rename(draft.c_str(), path.c_str()) : ::link(draft.c_str(), path.c_str());
  if (failed == 0) return {};
  return errno == EEXIST ? refused(path, "exists already; --force replaces it") : by_system(path);
}

/// The entry of the folder must survive a power cut as well.
void sync_folder(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const FileDescriptor file(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (file) ::fsync(file.get());
}

}  // namespace

Result<std::string> read_key_file(const std::string& path, KeyFile kind) {
  // O_NONBLOCK: a FIFO in this place must not hang the program.
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0) return by_system(path);
  if (!S_ISREG(status.st_mode)) return refused(path, "not a regular file; name one with a key");
  if (kind == KeyFile::secret && (status.st_mode & 077) != 0) {
    return refused(path, "others may use this private key; chmod 600 it");
  }
  std::string text(kKeyFileBytes + 1, '\0');
  const ssize_t size = ::read(file.get(), text.data(), text.size());
  if (size < 0) return by_system(path);
  if (static_cast<std::size_t>(size) > kKeyFileBytes) {
    return refused(path, "too large for a key; name a file with one key in PEM");
  }
  text.resize(static_cast<std::size_t>(size));
  return text;
}

Result<> write_key_file(const std::string& path, const std::string& text, KeyFile kind,
                        bool replace) {
  const std::string draft = path + ".new." + std::to_string(::getpid());
  const mode_t mode = kind == KeyFile::secret ? 0600 : 0644;
  Result<> written;
  {
    const FileDescriptor file(::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
    if (!file) return by_system(draft);
    if (const std::error_code failure = write_all(file.get(), text)) {
      written = refused(draft, failure.message());
    } else if (::fchmod(file.get(), mode) != 0 || ::fsync(file.get()) != 0) {
      written = by_system(draft);
    }
  }
  if (written) written = move_into_place(draft, path, replace);
  ::unlink(draft.c_str());  // is gone already after a rename
  if (written) sync_folder(path);
  return written;
}

}  // namespace starbus::nodes::login
