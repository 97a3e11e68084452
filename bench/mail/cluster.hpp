// Cluster: the daemons of one measured system, on the disk that is measured: busroot and a busd
// that keeps all shards of mail, or a nats-server with JetStream. One for each run, so that none
// finds what an earlier one left. All processes and folders go with it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/harness/disk.hpp"
#include "bench/harness/files.hpp"
#include "bench/harness/process.hpp"

namespace starbus::bench::mail {

class Cluster {
 public:
  virtual ~Cluster() = default;
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  virtual Result<void> start() = 0;
  // Kills the process that has the messages (kill -9), and starts it again on the same disk.
  Result<void> restart_store();

  std::string endpoint() const { return endpoint_; }
  // Of the process that has the messages.
  pid_t store_pid() const { return store_->pid(); }
  std::int64_t cpu_ns() const { return servers_->cpu_ns() + stores_->cpu_ns(); }
  std::string log_tail() const { return servers_->log_tail() + stores_->log_tail(); }
  // Of configurations and logs; load processes log there, too.
  const std::string& folder() const { return folder_.path(); }

 protected:
  // Configurations, sockets and logs are in /tmp, where paths are short; messages are on `disk`.
  Cluster(const std::string& disk, bool keep);
  const std::string& disk() const { return disk_.path(); }
  Result<void> start_store();

  TemporaryFolder folder_;
  TemporaryFolder disk_;
  std::unique_ptr<ProcessGroup> servers_;
  std::unique_ptr<ProcessGroup> stores_;  // ends before the servers
  Process* store_ = nullptr;
  std::vector<std::string> store_command_;
  std::string endpoint_;
};

// What is measured.
struct System {
  std::string name;   // starbus, nats, nats-sync
  std::string about;  // for the reader of the table
};

inline bool is_starbus(const std::string& system) {
  return system.starts_with("starbus");
}

// Those that this machine has: nats-sync answers after the disk has it, as starbus does. By
// sync_interval where nats-server knows that, else because all writes of its folder are
// synchronous. `why_not` says what is missing.
std::vector<System> available_systems(const std::string& disk, std::vector<std::string>& why_not);

Result<std::unique_ptr<Cluster>> make_cluster(const std::string& system, const std::string& disk,
                                              bool keep);

}  // namespace starbus::bench::mail
