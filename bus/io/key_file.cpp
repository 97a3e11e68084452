#include "bus/io/key_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>

#include "base/file_descriptor.hpp"
#include "base/write_all.hpp"

namespace starbus::bus::io {
namespace {

constexpr std::string_view kSecretTag = "starbus-curve-secret";
constexpr std::string_view kPublicTag = "starbus-curve-public";
constexpr std::string_view kZ85 =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";
constexpr mode_t kSecretMode = 0600;
constexpr mode_t kPublicMode = 0644;

Error system_error(const std::string& path, int number) {
  return {Errc::io_error, path + ": " + std::strerror(number)};
}

Result<> check_secret_mode(const std::string& path, const struct stat& status) {
  if ((status.st_mode & 077) == 0) return {};
  std::array<char, 8> mode{};
  std::snprintf(mode.data(), mode.size(), "%04o", static_cast<unsigned>(status.st_mode & 07777));
  return Error{Errc::io_error, path + ": others may use this secret key (mode " + mode.data() +
                                   "): chmod 600 " + path};
}

/// The owner of a secret key knows it, and may replace it. root may read those of others: it checks
/// their configuration.
Result<> check_secret_owner(const std::string& path, const struct stat& status) {
  if (::geteuid() == 0 || status.st_uid == ::geteuid()) return {};
  return Error{Errc::io_error, path + ": this secret key belongs to user " +
                                   std::to_string(status.st_uid) +
                                   ": chown it to the user of this program"};
}

Result<std::string> read_text(const std::string& path, bool secret) {
  // O_NONBLOCK: a FIFO in this place must not hang the daemon.
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) return system_error(path, errno);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return system_error(path, errno);
  if (!S_ISREG(status.st_mode)) return Error{Errc::io_error, path + ": not a regular file"};
  std::array<char, 256> buffer{};
  const ssize_t size = ::read(file.get(), buffer.data(), buffer.size());
  if (size < 0) return system_error(path, errno);
  std::string text(buffer.data(), static_cast<std::size_t>(size));
  // A public half that was named by mistake gets that error, and not one about its mode.
  if (secret && !text.starts_with(kPublicTag)) {
    if (const auto checked = check_secret_mode(path, status); !checked) return checked.error();
    if (const auto owned = check_secret_owner(path, status); !owned) return owned.error();
  }
  return text;
}

/// "TAG KEY\n" -> KEY.
Result<std::string> parse(const std::string& path, std::string_view text, std::string_view tag) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) {
    text.remove_suffix(1);
  }
  const bool other = text.starts_with(tag == kSecretTag ? kPublicTag : kSecretTag);
  if (!text.starts_with(tag) || text.size() != tag.size() + 1 + kCurveKeyText ||
      text[tag.size()] != ' ' || !is_curve_key(text.substr(tag.size() + 1))) {
    const std::string wanted = std::string(tag) + " <40 characters of Z85>";
    return Error{
        Errc::bad_config,
        path + (other ? ": the other half of the pair; expected " : ": not a key file; expected ") +
            wanted};
  }
  return std::string(text.substr(tag.size() + 1));
}

Result<> write_durably(const FileDescriptor& file, const std::string& path, std::string_view text) {
  if (const std::error_code error = write_all(file.get(), text)) {
    return system_error(path, error.value());
  }
  if (::fsync(file.get()) != 0) return system_error(path, errno);
  return {};
}

/// The directory entry must survive a power cut as well.
void sync_folder(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string folder =
      slash == std::string::npos ? "." : path.substr(0, std::max<std::size_t>(slash, 1));
  const FileDescriptor file(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (file) ::fsync(file.get());
}

Result<> move_into_place(const std::string& temporary, const std::string& path,
                         Overwrite overwrite) {
  // link() refuses an existing target, also one that appeared a moment ago; rename() replaces it.
  const int result = overwrite == Overwrite::yes ? ::rename(temporary.c_str(), path.c_str())
                                                 : ::link(temporary.c_str(), path.c_str());
  if (result == 0) return {};
  const int number = errno;
  if (number == EEXIST) return Error{Errc::io_error, path + ": exists already"};
  return system_error(path, number);
}

Result<> write_key(const std::string& path, std::string_view tag, const std::string& key,
                   mode_t mode, Overwrite overwrite) {
  if (!is_curve_key(key)) return Error{Errc::bad_config, "a key is 40 characters of Z85"};
  const std::string temporary = path + ".new." + std::to_string(::getpid());
  Result<> written;
  {
    const FileDescriptor file(
        ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
    if (!file) return system_error(temporary, errno);
    // The umask may have taken bits that the daemons' group needs to read a public key.
    if (::fchmod(file.get(), mode) != 0) written = system_error(temporary, errno);
    if (written) written = write_durably(file, temporary, std::string(tag) + " " + key + "\n");
  }
  if (written) written = move_into_place(temporary, path, overwrite);
  ::unlink(temporary.c_str());  // is gone already after a rename
  if (written) sync_folder(path);
  return written;
}

}  // namespace

bool is_curve_key(std::string_view text) {
  return text.size() == kCurveKeyText &&
         std::ranges::all_of(text, [](char c) { return kZ85.find(c) != std::string_view::npos; });
}

Result<CurveKeys> read_secret_key_file(const std::string& path) {
  const auto text = read_text(path, true);
  if (!text) return text.error();
  const auto secret = parse(path, *text, kSecretTag);
  if (!secret) return secret.error();
  const auto public_key = curve_public_key(*secret);
  if (!public_key) return Error{Errc::bad_config, path + ": " + public_key.error().detail};
  return CurveKeys{*public_key, *secret};
}

Result<std::string> read_public_key_file(const std::string& path) {
  const auto text = read_text(path, false);
  if (!text) return text.error();
  return parse(path, *text, kPublicTag);
}

Result<> write_secret_key_file(const std::string& path, const std::string& secret_key,
                               Overwrite overwrite) {
  return write_key(path, kSecretTag, secret_key, kSecretMode, overwrite);
}

Result<> write_public_key_file(const std::string& path, const std::string& public_key,
                               Overwrite overwrite) {
  return write_key(path, kPublicTag, public_key, kPublicMode, overwrite);
}

}  // namespace starbus::bus::io
