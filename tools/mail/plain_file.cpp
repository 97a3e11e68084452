#include "tools/mail/plain_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <vector>

#include "base/file_descriptor.hpp"
#include "base/write_all.hpp"

namespace starbus::mail_tool {
namespace {

constexpr std::size_t kPart = 1 << 20;  // bytes read at once

std::error_code last_error() {
  return {errno, std::generic_category()};
}

}  // namespace

std::error_code copy_plain_file(const std::filesystem::path& from,
                                const std::filesystem::path& to) {
  // Without O_NONBLOCK a pipe of that name would wait for its writer.
  const FileDescriptor source(::open(from.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!source) return last_error();
  struct stat kind {};
  if (::fstat(source.get(), &kind) != 0) return last_error();
  if (!S_ISREG(kind.st_mode)) return std::make_error_code(std::errc::not_supported);
  const FileDescriptor target(
      ::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!target) return last_error();
  std::vector<char> part(kPart);
  while (true) {
    const ssize_t size = ::read(source.get(), part.data(), part.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return last_error();
    if (size == 0) break;
    const std::string_view bytes(part.data(), static_cast<std::size_t>(size));
    if (const std::error_code error = write_all(target.get(), bytes)) return error;
  }
  if (::fsync(target.get()) != 0) return last_error();
  return {};
}

}  // namespace starbus::mail_tool
