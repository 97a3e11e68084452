#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/file_descriptor.hpp"
#include "base/loop_thread.hpp"
#include "bus/core/routers/host_router.hpp"
#include "daemon/state_directory.hpp"

namespace starbus::busd {

/// The living processes of this host, kept through restarts of busd: one line per start and end,
/// appended without fsync, because a power cut ends the processes, too. The file begins with the
/// machine's boot id; a file of an earlier boot is ignored. Belongs to the loop's thread.
class ProcessJournal {
 public:
  /// Reads what an earlier busd wrote, and writes the file again with the processes that still
  /// live: same pid, same start time. io_error.
  static Result<ProcessJournal> open(daemon::StateDirectory& state);

  const std::vector<bus::JournaledProcess>& living() const { return living_; }
  /// io_error: a process that is missing in the journal may lose its names at the next restart.
  Result<> add(const bus::JournaledProcess& process, bool lives);
  /// After a failure: writes the whole file again, with the lines that were missed.
  Result<> repair();

 private:
  explicit ProcessJournal(daemon::StateDirectory& state) : state_(&state) {}
  using Key = std::pair<std::string, std::uint64_t>;  // node, incarnation
  void take(std::string_view line);
  Result<> rewrite();

  LoopThread thread_;
  daemon::StateDirectory* state_;
  std::vector<bus::JournaledProcess> living_;  // at the start
  std::map<Key, std::string> lines_;           // of the processes that live now
  std::size_t written_ = 0;                    // lines in the file
  bool torn_ = false;                          // the file may end within a line, or lack lines
  FileDescriptor file_;
};

}  // namespace starbus::busd
