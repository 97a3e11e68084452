// Loads: a cluster and the load processes of one run, and the talk with these.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "bench/mail/cluster.hpp"
#include "bench/mail/options.hpp"
#include "bench/mail/role.hpp"

namespace starbus::bench::mail {

class Loads {
 public:
  // Starts the cluster and waits until it takes posts. `read`: mailbox 0 will be read or erased.
  static Result<std::unique_ptr<Loads>> start(const std::string& system, const Options& options,
                                              bool read);

  // A process of that role, connected and ready to go; outstanding 0: what suits the system.
  Result<Process*> spawn(RoleOptions role);
  Result<void> go(Process* process) { return process->write_line("go"); }
  // What it says at its end, if that is within so many seconds.
  Result<nlohmann::json> result_of(Process* process, double seconds);
  // All three.
  Result<nlohmann::json> run(RoleOptions role);
  // Puts `count` messages into mailboxes 0 to mailboxes - 1, in turn.
  Result<nlohmann::json> fill(std::uint64_t count, std::uint64_t mailboxes);
  // Waits until the system takes posts, from now: seconds.
  Result<double> await_service();
  // Until the system works no more by itself, or for 20 s; what it has written is on the disk then.
  void await_rest() const;

  Cluster& cluster() { return *cluster_; }
  std::int64_t cpu_ns() const { return cluster_->cpu_ns() + processes_->cpu_ns(); }

 private:
  Loads(const std::string& system, const Options& options, std::unique_ptr<Cluster> cluster);
  std::vector<std::string> command_of(const RoleOptions& role);
  std::uint64_t outstanding_for(const RoleOptions& role) const;

  std::string system_;
  const Options& options_;
  bool read_ = false;
  std::unique_ptr<Cluster> cluster_;
  std::unique_ptr<ProcessGroup> processes_;  // end before the cluster
  int spawned_ = 0;
};

}  // namespace starbus::bench::mail
