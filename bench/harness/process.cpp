#include "bench/harness/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "bench/harness/clock.hpp"
#include "bench/harness/files.hpp"

namespace starbus::bench {
namespace {

volatile sig_atomic_t interrupt_flag = 0;

void on_interrupt(int) {
  interrupt_flag = 1;
}

// Only async-signal-safe calls between fork and exec.
[[noreturn]] void become(char* const* arguments, pid_t parent, int input, int output, int errors) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);
  // A group of its own: Ctrl-C reaches the driver only, and the driver ends its children.
  setpgid(0, 0);
  dup2(input, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(errors, STDERR_FILENO);
  execvp(arguments[0], arguments);
  _exit(127);
}

std::vector<char*> to_argv(const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  return arguments;
}

}  // namespace

bool interrupted() {
  return interrupt_flag != 0;
}

void install_interrupt_handler() {
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  signal(SIGPIPE, SIG_IGN);
}

Process::~Process() {
  close(input_);
  close(output_);
  if (reaped_) return;
  kill();
  while (!reap(0) && errno == EINTR) {
  }
}

bool Process::reap(int flags) {
  if (!reaped_ && waitpid(pid_, &status_, flags) == pid_) reaped_ = true;
  return reaped_;
}

bool Process::alive() {
  return !reap(WNOHANG);
}

std::int64_t Process::cpu_ns() const {
  clockid_t clock{};
  timespec used{};
  if (reaped_ || clock_getcpuclockid(pid_, &clock) != 0 || clock_gettime(clock, &used) != 0) {
    return 0;
  }
  return used.tv_sec * kSecond + used.tv_nsec;
}

// Its number may be another process' once it is reaped.
void Process::send(int signal) {
  if (!reaped_) ::kill(pid_, signal);
}

void Process::stop() {
  send(SIGSTOP);
}

void Process::go_on() {
  send(SIGCONT);
}

void Process::terminate() {
  send(SIGTERM);
}

void Process::kill() {
  send(SIGKILL);
}

Result<int> Process::wait(std::int64_t deadline_ns) {
  const int handle = static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0));
  while (!reap(WNOHANG)) {
    const std::int64_t left = deadline_ns - now_ns();
    if (left <= 0 || interrupted()) {
      close(handle);
      return fail(interrupted() ? "interrupted" : name_ + " did not end in time");
    }
    pollfd wanted{handle, POLLIN, 0};
    ::poll(&wanted, 1, static_cast<int>(std::min<std::int64_t>(left / kMillisecond + 1, 100)));
  }
  close(handle);
  return WIFSIGNALED(status_) ? -WTERMSIG(status_) : WEXITSTATUS(status_);
}

Result<void> Process::write_line(const std::string& line) {
  const std::string text = line + "\n";
  if (write(input_, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    return fail(name_ + " does not read its input");
  }
  return {};
}

Result<std::string> Process::read_line(std::int64_t deadline_ns) {
  for (;;) {
    if (const auto end = pending_.find('\n'); end != std::string::npos) {
      std::string line = pending_.substr(0, end);
      pending_.erase(0, end + 1);
      return line;
    }
    if (interrupted()) return fail("interrupted");
    const std::int64_t left = deadline_ns - now_ns();
    if (left <= 0) return fail(name_ + " said nothing in time");
    pollfd wanted{output_, POLLIN, 0};
    const auto wait_ms = static_cast<int>(std::min<std::int64_t>(left / kMillisecond + 1, 100));
    if (::poll(&wanted, 1, wait_ms) <= 0) continue;
    std::array<char, 4096> buffer{};
    const ssize_t got = read(output_, buffer.data(), buffer.size());
    if (got <= 0) return fail(name_ + " ended early");
    pending_.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

Result<Process*> ProcessGroup::spawn(const std::string& name,
                                     const std::vector<std::string>& command) {
  std::array<int, 2> input{};
  std::array<int, 2> output{};
  if (pipe2(input.data(), O_CLOEXEC) != 0 || pipe2(output.data(), O_CLOEXEC) != 0) {
    return fail("pipe: " + std::string(std::strerror(errno)));
  }
  const std::string log = directory_ + "/" + name + ".log";
  const int errors = open(log.c_str(), O_CREAT | O_APPEND | O_WRONLY | O_CLOEXEC, 0600);
  const std::vector<char*> arguments = to_argv(command);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) become(arguments.data(), parent, input[0], output[1], errors);
  close(input[0]);
  close(output[1]);
  close(errors);
  if (pid < 0) return fail("fork: " + std::string(std::strerror(errno)));
  processes_.push_back(
      std::unique_ptr<Process>(new Process(name, command, pid, input[1], output[0])));
  return processes_.back().get();
}

Process* ProcessGroup::find(const std::string& name) const {
  for (auto process = processes_.rbegin(); process != processes_.rend(); ++process) {
    if ((*process)->name() == name) return process->get();
  }
  return nullptr;
}

void ProcessGroup::remove(const Process& process) {
  std::erase_if(processes_, [&](const auto& one) { return one.get() == &process; });
}

std::int64_t ProcessGroup::cpu_ns() const {
  std::int64_t sum = 0;
  for (const auto& process : processes_) sum += process->cpu_ns();
  return sum;
}

void ProcessGroup::stop() {
  while (!processes_.empty()) processes_.pop_back();
}

std::string ProcessGroup::log_tail() const {
  constexpr std::size_t kTail = 200;
  std::string tail;
  for (const auto& process : processes_) {
    const Result<std::string> text = read_text(directory_ + "/" + process->name() + ".log");
    if (!text || text->empty()) continue;
    tail += "\n[" + process->name() + "] ";
    tail += text->substr(text->size() - std::min(text->size(), kTail));
  }
  return tail;
}

Result<void> run_command(const std::vector<std::string>& command) {
  const std::vector<char*> arguments = to_argv(command);
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) become(arguments.data(), parent, null, null, null);
  close(null);
  int status = 0;
  while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (pid < 0 || status != 0) return fail("failed: " + command.front());
  return {};
}

std::string own_executable() {
  std::array<char, 4096> path{};
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size());
  return {path.data(), static_cast<std::size_t>(std::max<ssize_t>(length, 0))};
}

}  // namespace starbus::bench
