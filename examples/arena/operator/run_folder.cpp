#include "examples/arena/operator/run_folder.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <thread>

#include "base/file_descriptor.hpp"
#include "base/numbers.hpp"
#include "base/process_stat.hpp"
#include "base/text_of_file.hpp"

namespace arena::view {

using starbus::ProcessStat;
using starbus::text_of_file;

namespace {

std::filesystem::path proc(pid_t pid) {
  return "/proc/" + std::to_string(pid);
}

std::optional<Process> process_of(pid_t pid) {
  const auto stat = ProcessStat::of(pid);
  if (!stat) return std::nullopt;
  const std::string& state = stat->text(ProcessStat::state);
  if (state == "Z" || state == "X") return std::nullopt;
  static const double ticks_per_second = static_cast<double>(::sysconf(_SC_CLK_TCK));
  static const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const std::uint64_t ticks =
      stat->number(ProcessStat::user_ticks) + stat->number(ProcessStat::system_ticks);
  return Process{.pid = pid,
                 .started = stat->number(ProcessStat::start_ticks),
                 .memory = stat->number(ProcessStat::resident_pages) * page,
                 .processor = static_cast<double>(ticks) / ticks_per_second};
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
  // While a script becomes its program the command line is empty for a moment; that of a process
  // that is over stays so.
  constexpr int kTries = 50;
  for (int tries = 0; tries < kTries; ++tries) {
    const std::string line = text_of_file(proc(pid) / "cmdline");
    if (!line.empty()) return line.find(folder_.string()) != std::string::npos;
    if (!process_of(pid)) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

std::optional<Process> RunFolder::look(const Program& program) const {
  std::string text = text_of_file(pid_file(program.name));
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
