#include "examples/arena/operator/run_folder.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>

#include "base/file_descriptor.hpp"
#include "base/numbers.hpp"

namespace arena::view {
namespace {

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::filesystem::path proc(pid_t pid) {
  return "/proc/" + std::to_string(pid);
}

/// Fields of /proc/PID/stat from the third on: proc(5) counts from 1. Empty: no such process.
std::vector<std::string> stat_of(pid_t pid) {
  const std::string stat = text_of(proc(pid) / "stat");
  // The second field is the program's name in parentheses, and may hold anything.
  const std::size_t end = stat.rfind(')');
  if (end == std::string::npos) return {};
  std::istringstream rest(stat.substr(end + 1));
  return {std::istream_iterator<std::string>(rest), std::istream_iterator<std::string>()};
}

std::optional<Process> process_of(pid_t pid) {
  const std::vector<std::string> fields = stat_of(pid);
  const auto number = [&](std::size_t field) {
    return starbus::parse_number<std::uint64_t>(fields.at(field - 3)).value_or(0);
  };
  constexpr std::size_t kState = 3, kUser = 14, kSystem = 15, kStarted = 22, kResident = 24;
  if (fields.size() <= kResident - 3) return std::nullopt;
  const std::string& state = fields.at(kState - 3);
  if (state == "Z" || state == "X") return std::nullopt;
  static const double ticks_per_second = static_cast<double>(::sysconf(_SC_CLK_TCK));
  static const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return Process{
      .pid = pid,
      .started = number(kStarted),
      .memory = number(kResident) * page,
      .processor = static_cast<double>(number(kUser) + number(kSystem)) / ticks_per_second};
}

/// In a new session, so that no terminal of ours ends it. 0: errno says why not.
pid_t run(const std::filesystem::path& script) {
  posix_spawn_file_actions_t files;  // sockets of ours must not stay open in it
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
  posix_spawnattr_t how;
  ::posix_spawnattr_init(&how);
  sigset_t nothing;
  sigset_t usual;
  ::sigemptyset(&nothing);
  ::sigemptyset(&usual);
  ::sigaddset(&usual, SIGCHLD);
  ::sigaddset(&usual, SIGPIPE);
  ::posix_spawnattr_setsigmask(&how, &nothing);
  ::posix_spawnattr_setsigdefault(&how, &usual);
  ::posix_spawnattr_setflags(&how,
                             POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::string path = script.string();
  char* const arguments[] = {path.data(), nullptr};
  pid_t pid = 0;
  const int failed = ::posix_spawn(&pid, path.c_str(), &files, &how, arguments, environ);
  ::posix_spawnattr_destroy(&how);
  ::posix_spawn_file_actions_destroy(&files);
  errno = failed;
  return failed == 0 ? pid : 0;
}

/// In one step, so that nobody reads half a number.
bool write_pid(const std::filesystem::path& file, pid_t pid) {
  const std::filesystem::path fresh = file.string() + ".new";
  if (!(std::ofstream(fresh) << pid << '\n').flush()) return false;
  std::error_code error;
  std::filesystem::rename(fresh, file, error);
  return !error;
}

}  // namespace

RunFolder::RunFolder(std::filesystem::path folder, std::vector<Program> programs)
    : folder_(std::move(folder)), programs_(std::move(programs)) {}

const Program* RunFolder::find(const std::string& name) const {
  const auto found = std::ranges::find(programs_, name, &Program::name);
  return found == programs_.end() ? nullptr : &*found;
}

bool RunFolder::is_ours(pid_t pid) const {
  return text_of(proc(pid) / "cmdline").find(folder_.string()) != std::string::npos;
}

std::optional<Process> RunFolder::look(const Program& program) const {
  std::string text = text_of(pid_file(program.name));
  text.erase(std::min(text.find('\n'), text.size()));
  const auto pid = starbus::parse_number<pid_t>(text);
  if (!pid || *pid <= 0 || !is_ours(*pid)) return std::nullopt;
  return process_of(*pid);
}

Outcome RunFolder::kill(const std::string& name, pid_t pid, std::uint64_t started) const {
  const Program* const program = find(name);
  if (program == nullptr) return Refused{404, name + ": no program of this run"};
  // Opened first: what is found out after that is of the process that this names.
  const starbus::FileDescriptor process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0U)));
  const auto now = look(*program);
  if (!now) return Refused{422, name + ": is not running"};
  if (!process || now->pid != pid || now->started != started) {
    return Refused{422, name + ": is another process by now; look again"};
  }
  if (::syscall(SYS_pidfd_send_signal, process.get(), SIGKILL, nullptr, 0U) != 0) {
    return Refused{422, name + ": " + std::strerror(errno)};
  }
  return std::nullopt;
}

Outcome RunFolder::start(const std::string& name) const {
  const Program* const program = find(name);
  if (program == nullptr) return Refused{404, name + ": no program of this run"};
  if (look(*program)) return Refused{422, name + ": runs already"};
  const pid_t pid = run(folder_ / "start" / name);
  if (pid == 0) return Refused{422, name + ": " + std::strerror(errno)};
  if (!write_pid(pid_file(name), pid)) {
    ::kill(pid, SIGKILL);  // nobody would find it
    return Refused{422, name + ": its pid file cannot be written"};
  }
  return std::nullopt;
}

}  // namespace arena::view
