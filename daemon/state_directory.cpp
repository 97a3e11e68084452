#include "daemon/state_directory.hpp"

#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <system_error>
#include <thread>

#include "base/write_all.hpp"

namespace starbus::daemon {
namespace {

constexpr const char* kLock = "lock";
constexpr std::size_t kTakeoverRoom = 64 * 1024;   // more than a daemon writes when it starts
constexpr std::chrono::milliseconds kLockPoll{2};  // all processes wait during a takeover

Error system_error(const std::string& what) {
  return {bus::Errc::io_error, what + ": " + std::generic_category().message(errno)};
}

bool plain_name(std::string_view name) {
  return !name.empty() && name.front() != '.' && name != kLock &&
         name.find_first_of(std::string_view("/\0", 2)) == std::string_view::npos;
}

Result<> write_text(int file, std::string_view content) {
  const std::error_code error = write_all(file, content);
  if (error) return Error(bus::Errc::io_error, "write: " + error.message());
  return {};
}

// Reads up to `most` bytes; too_large if the file has more.
Result<std::string> read_all(int file, std::size_t most) {
  std::string content;
  char part[16 * 1024];
  while (true) {
    const ssize_t size = ::read(file, part, sizeof part);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return system_error("read");
    if (size == 0) return content;
    content.append(part, static_cast<std::size_t>(size));
    if (content.size() > most)
      return Error(bus::Errc::too_large, "larger than a state file may be");
  }
}

Error with_path(const Error& error, const std::filesystem::path& path) {
  return {error.code, path.string() + ": " + error.detail};
}

Result<> make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  if (const auto parent = folder.parent_path(); !parent.empty()) {
    std::filesystem::create_directories(parent, error);
    if (error) return Error(bus::Errc::io_error, parent.string() + ": " + error.message());
  }
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return system_error(folder.string());
  return make_private(folder);
}

/// Whether `process` has `file` open: a note may name an ended process whose number is used again.
bool has_open(pid_t process, int file) {
  struct stat wanted {};
  if (::fstat(file, &wanted) != 0) return false;
  std::error_code error;
  const std::filesystem::path open = "/proc/" + std::to_string(process) + "/fd";
  for (const auto& entry : std::filesystem::directory_iterator(open, error)) {
    struct stat found {};
    if (::stat(entry.path().c_str(), &found) == 0 && found.st_dev == wanted.st_dev &&
        found.st_ino == wanted.st_ino) {
      return true;
    }
  }
  return false;
}

/// The holder by its note; 0 if there is no note, or if it names another process.
pid_t holder_of(const std::filesystem::path& folder) {
  const FileDescriptor lock(::open((folder / kLock).c_str(), O_RDONLY | O_CLOEXEC));
  const auto note = lock ? read_all(lock.get(), 64) : Result<std::string>(std::string());
  pid_t holder = 0;
  if (note) std::from_chars(note->data(), note->data() + note->size(), holder);
  return holder > 1 && has_open(holder, lock.get()) ? holder : 0;
}

/// Whether there is room to write: a running daemon must not be stopped for one that cannot start.
Result<> try_folder(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / ".takeover";
  FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!file) return system_error(path.string());
  Result<> written = write_text(file.get(), std::string(kTakeoverRoom, ' '));
  if (written && ::fsync(file.get()) != 0) written = system_error("fsync");
  ::unlink(path.c_str());
  if (!written) return with_path(written.error(), path);
  return {};
}

Error held_by_another(const std::filesystem::path& folder, int lock) {
  // Between its lock and its note the holder has no name.
  std::string holder = "another process";
  if (const auto note = read_all(lock, 64); note && !note->empty()) {
    holder = "process " + note->substr(0, note->find('\n'));
  }
  return {bus::Errc::name_taken, "state folder " + folder.string() + " is in use by " + holder};
}

}  // namespace

Result<> make_private(const std::filesystem::path& folder) {
  struct stat status {};
  if (::stat(folder.c_str(), &status) != 0) return system_error(folder.string());
  if ((status.st_mode & 077) == 0) return {};
  char mode[8] = {};
  std::snprintf(mode, sizeof mode, "%04o", static_cast<unsigned>(status.st_mode & 07777));
  if (::chmod(folder.c_str(), 0700) != 0) {
    return Error(bus::Errc::io_error, folder.string() + ": other users reach it (mode " + mode +
                                          ") and could hold its lock: chmod 0700 it, or give it "
                                          "to the user of this program");
  }
  spdlog::warn("{}: other users could reach it (mode {}): now it has mode 0700", folder.string(),
               mode);
  return {};
}

Result<StateDirectory> StateDirectory::open(const std::filesystem::path& folder) {
  if (const auto made = make_folder(folder); !made) return made.error();
  FileDescriptor directory(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory) return system_error(folder.string());
  const std::filesystem::path lock_path = folder / kLock;
  FileDescriptor lock(::openat(directory.get(), kLock, O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!lock) return system_error(lock_path.string());
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return held_by_another(folder, lock.get());
    return system_error(lock_path.string());
  }
  if (::ftruncate(lock.get(), 0) != 0) return system_error(lock_path.string());
  const auto noted = write_text(lock.get(), std::to_string(::getpid()) + "\n");
  if (!noted) return with_path(noted.error(), lock_path);
  return StateDirectory(folder, std::move(directory), std::move(lock));
}

Result<StateDirectory> StateDirectory::take_over(const std::filesystem::path& folder,
                                                 std::chrono::milliseconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  for (pid_t asked = 0;;) {
    auto state = open(folder);
    if (state || state.error() != bus::Errc::name_taken) return state;
    if (std::chrono::steady_clock::now() >= deadline) {
      return Error(bus::Errc::name_taken,
                   state.error().detail + ", which has not ended within " +
                       std::to_string(limit.count()) + " ms. " +
                       (asked != 0 ? "It was asked to stop and will: start one without "
                                     "--takeover then"
                                   : "It was not asked to stop: the lock does not name "
                                     "its holder"));
    }
    // Without a note the holder has just started, or just ended.
    const pid_t holder = holder_of(folder);
    if (holder != 0 && holder != asked) {
      if (auto usable = try_folder(folder); !usable) return usable.error();
      asked = holder;
      if (::kill(holder, SIGTERM) != 0 && errno != ESRCH) {
        return system_error("process " + std::to_string(holder) + " cannot be asked to stop");
      }
    }
    std::this_thread::sleep_for(kLockPoll);
  }
}

Result<> StateDirectory::write(std::string_view name, std::string_view content) {
  return replace(name, content, true);
}

Result<> StateDirectory::note(std::string_view name, std::string_view content) {
  return replace(name, content, false);
}

Result<> StateDirectory::replace(std::string_view name, std::string_view content, bool durable) {
  const std::filesystem::path path = path_ / name;
  if (!plain_name(name)) return Error(bus::Errc::io_error, path.string() + ": not a state file");
  if (content.size() > kMaxFile) return Error(bus::Errc::too_large, path.string());
  // One name for the temporary file: the lock makes this the only writer, and a leftover of a
  // crash is overwritten by the next write.
  const std::string target(name);
  const std::string temporary = "." + target + ".new";
  FileDescriptor file(
      ::openat(folder_.get(), temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!file) return system_error(path.string());
  if (const auto written = write_text(file.get(), content); !written) {
    ::unlinkat(folder_.get(), temporary.c_str(), 0);
    return with_path(written.error(), path);
  }
  // First the content, then the name, then the folder that holds the name: each must be on disk
  // before the next refers to it.
  if (durable && ::fsync(file.get()) != 0) return system_error(path.string() + ": fsync");
  if (::renameat(folder_.get(), temporary.c_str(), folder_.get(), target.c_str()) != 0) {
    return system_error(path.string() + ": rename");
  }
  if (durable && ::fsync(folder_.get()) != 0) return system_error(path_.string() + ": fsync");
  return {};
}

Result<std::optional<std::string>> StateDirectory::read(std::string_view name) const {
  const std::filesystem::path path = path_ / name;
  if (!plain_name(name)) return Error(bus::Errc::io_error, path.string() + ": not a state file");
  FileDescriptor file(::openat(folder_.get(), std::string(name).c_str(), O_RDONLY | O_CLOEXEC));
  if (!file && errno == ENOENT) return std::optional<std::string>();
  if (!file) return system_error(path.string());
  auto content = read_all(file.get(), kMaxFile);
  if (!content) return with_path(content.error(), path);
  return std::optional<std::string>(std::move(*content));
}

}  // namespace starbus::daemon
