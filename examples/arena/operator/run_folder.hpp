/// The programs of one run of scripts/up: what the kernel says of them, their end by force, and
/// their start as it was before. Stateless but for its lists; any thread.
///
/// A program is known by its file NAME.pid in the run's folder, and is one of the run only while
/// its command line names that folder: a file may be older than a reboot.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace arena::view {

/// As operator.toml lists it.
struct Program {
  std::string name;         // of its files in the run's folder: "arena-b"
  std::string host = {};    // empty: it belongs to none
  std::string kind = {};    // "busd", "arena", "gate"
  std::string node = {};    // its name on the bus is HOST.NODE; empty: it has none
  std::string socket = {};  // path of its admin socket; empty: it has none
};

/// A running process.
struct Process {
  pid_t pid = 0;
  std::uint64_t started = 0;  // clock ticks from the boot: tells it from others of the same number
  std::uint64_t memory = 0;   // bytes that are resident
  double processor = 0;       // seconds of processor time since its start
};

/// Why an order was not obeyed.
struct Refused {
  unsigned status = 422;  // of HTTP
  std::string why;
};
using Outcome = std::optional<Refused>;  // nullopt: done

class RunFolder {
 public:
  RunFolder(std::filesystem::path folder, std::vector<Program> programs);

  const std::filesystem::path& folder() const { return folder_; }
  const std::vector<Program>& programs() const { return programs_; }
  /// Null: the run has no such program.
  const Program* find(const std::string& name) const;

  /// nullopt: it is not running. One that has ended and waits to be reaped is not.
  std::optional<Process> look(const Program& program) const;
  /// Ends that very process by SIGKILL: `pid` and `started` as look() gave them. 404: no such
  /// program; 422: it is not running, or is another process by now.
  Outcome kill(const std::string& name, pid_t pid, std::uint64_t started) const;
  /// Runs start/NAME of the folder, which becomes the program, and writes NAME.pid. Does not wait
  /// for it to serve. 404: no such program; 422: it runs, or cannot be started. Its end has to be
  /// reaped by the caller's process (SIGCHLD ignored).
  Outcome start(const std::string& name) const;

 private:
  std::filesystem::path pid_file(const std::string& name) const {
    return folder_ / (name + ".pid");
  }
  bool is_ours(pid_t pid) const;

  std::filesystem::path folder_;
  std::vector<Program> programs_;
};

}  // namespace arena::view
