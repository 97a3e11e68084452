// ProcessGroup: the child processes of one measured case. Every child is killed by its pid when the
// group goes (end, error, Ctrl-C); a child also dies with the driver (parent-death signal), so even
// kill -9 on the driver leaves nothing behind. One thread uses it. Failures are values.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "bench/harness/result.hpp"

namespace starbus::bench {

class Process {
 public:
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  const std::string& name() const { return name_; }
  const std::vector<std::string>& command() const { return command_; }
  pid_t pid() const { return pid_; }
  bool alive();
  // CPU time used so far by all threads of the process, in nanoseconds.
  std::int64_t cpu_ns() const;

  void stop();  // SIGSTOP
  void go_on();
  void terminate();  // SIGTERM
  void kill();       // SIGKILL
  // Waits for its end: the exit code, or minus the signal that ended it.
  Result<int> wait(std::int64_t deadline_ns);
  Result<void> write_line(const std::string& line);
  // The next line of the child's standard output.
  Result<std::string> read_line(std::int64_t deadline_ns);

 private:
  friend class ProcessGroup;
  Process(std::string name, std::vector<std::string> command, pid_t pid, int input, int output)
      : name_(std::move(name)),
        command_(std::move(command)),
        pid_(pid),
        input_(input),
        output_(output) {}
  void send(int signal);
  bool reap(int flags);

  std::string name_;
  std::vector<std::string> command_;
  pid_t pid_;
  int input_;
  int output_;
  bool reaped_ = false;
  int status_ = 0;  // of waitpid(2), once it is reaped
  std::string pending_;
};

class ProcessGroup {
 public:
  explicit ProcessGroup(std::string directory) : directory_(std::move(directory)) {}
  ~ProcessGroup() { stop(); }

  // Standard error goes to NAME.log in the directory.
  Result<Process*> spawn(const std::string& name, const std::vector<std::string>& command);
  // The one of that name that was started last; nullptr if there is none.
  Process* find(const std::string& name) const;
  // Kills it if it still runs, and forgets it.
  void remove(const Process& process);

  std::int64_t cpu_ns() const;  // summed over all children
  void stop();                  // kills and reaps, newest first

  // The last lines of the children's logs, for an error message.
  std::string log_tail() const;

 private:
  std::string directory_;
  std::vector<std::unique_ptr<Process>> processes_;
};

// True after SIGINT or SIGTERM; everything that waits in the driver looks at it.
bool interrupted();
void install_interrupt_handler();

// Runs a command to its end with its output thrown away; fails on a non-zero exit.
Result<void> run_command(const std::vector<std::string>& command);

// The path of this executable, for starting roles of it.
std::string own_executable();

}  // namespace starbus::bench
