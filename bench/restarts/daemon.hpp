// Daemon: one of the daemons of a peer's cluster, which is replaced by another process again and
// again. The processes belong to the group. One thread uses it; failures are values.
#pragma once

#include <string>
#include <vector>

#include "bench/harness/process.hpp"
#include "bench/restarts/case.hpp"

namespace starbus::bench::restarts {

class Daemon {
 public:
  Daemon(ProcessGroup& processes, const std::string& name)
      : processes_(processes), name_(name), command_(processes.find(name)->command()) {}

  // Returns when the earlier one has ended and the later one was started; what it needs to serve is
  // for the streams to notice.
  Result<void> replace(Way way);
  bool runs() const { return processes_.find(name_)->alive(); }

 private:
  Result<void> take_over(Process& earlier);
  Result<void> start();

  ProcessGroup& processes_;
  std::string name_;
  std::vector<std::string> command_;
};

}  // namespace starbus::bench::restarts
