/// A cluster of three hosts with twelve load nodes, each a process of its own, and what is done to
/// them: kills, pauses and restarts at chosen times, all noted for the verdict.
///
///   ChaosRun run({.messages = 100'000, .span = 20s});
///   run.start();
///   run.kill_daemon("root");
///   EXPECT_TRUE(run.settle(30s));
///   run.expect_exact();
///
/// One thread; everything blocks. Ends its processes when it goes.
#pragma once

#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "tests/cluster/chaos/board.hpp"
#include "tests/cluster/cluster_harness.hpp"

namespace starbus::cluster_test {

struct ChaosOptions {
  std::uint32_t messages = 100'000;  // of all streams together, about
  std::chrono::milliseconds span{20'000};
  ClusterOptions cluster{.hosts = {"a", "b", "c"}};
};

/// Something was done to a daemon at a time of CLOCK_MONOTONIC in ns.
struct Blow {
  std::string daemon;
  std::int64_t at;
};

class ChaosRun {
 public:
  explicit ChaosRun(ChaosOptions options);

  /// All nodes own their channels when this returns, and begin to send. Throws if they do not.
  void start();
  /// Sleeps until so long after the beginning.
  void sleep_until(std::chrono::milliseconds since_start) const;

  /// SIGKILL, and started again when systemd would do it (restart_delay). Blocks for as long.
  void kill_daemon(const std::string& name);
  void pause_daemon(const std::string& name, std::chrono::milliseconds time);
  /// SIGKILL of a node, and a new life for it after `dead`.
  void kill_node(std::uint32_t node, std::chrono::milliseconds dead);
  void pause_node(std::uint32_t node, std::chrono::milliseconds time);

  /// Waits until every message has an end, and every node has left. False, and a failure that says
  /// which did not, if not within `limit` after the span.
  bool settle(std::chrono::milliseconds limit);

  Cluster& cluster() { return cluster_; }
  Board& board() { return board_; }
  const std::vector<Blow>& blows() const { return blows_; }

 private:
  void launch(std::uint32_t node);
  bool all_nodes(NodeState state) const;
  void report_unsettled() const;

  const ChaosOptions options_;
  Cluster cluster_;
  Board board_;
  std::array<std::unique_ptr<Child>, kNodes> nodes_;
  std::vector<Blow> blows_;
};

/// RestartSec of the daemons' units in deploy/: the supervisor's part of a pause.
std::chrono::milliseconds restart_delay();
/// A seed of STARBUS_SEED, or of the operating system; printed, and named when the test fails.
std::uint64_t chaos_seed();

}  // namespace starbus::cluster_test
