/// The shutdown of the cluster: carries out over the bus what ShutdownStages decides.
///
/// Belongs to the loop's thread. After the last stage it ends this process, too, as soon as a
/// caller has fetched the last report, or after a while. A manager that loses its name aborts the
/// shutdown, and no other manager continues it: the operator starts it again.
#pragma once

#include <memory>
#include <set>
#include <string>

#include "nodes/manager/load_reports.hpp"
#include "nodes/manager/node_table.hpp"
#include "nodes/manager/shutdown_stages.hpp"
#include "nodes/runtime/node.hpp"

namespace starbus::nodes::manager {

class ClusterShutdown final : private NodeTable::Listener {
 public:
  ClusterShutdown(Node& node, NodeTable& table, LoadReports& reports, ShutdownPlan plan);

  /// Call it within App::start, after the start of the reports, whose rows it reads.
  void start();

  /// Begins a shutdown, or joins the one that runs.
  ShutdownReport request(std::string reason);
  /// Only reads: before a shutdown, which stage each node would be drained in.
  ShutdownReport report() const;
  ShutdownPhase phase() const { return stages_.phase(); }
  /// A caller has fetched the report. If it is the last one, this process may end.
  void fetched();

 private:
  void on_node_added(const KnownNode& node) override;
  void on_node_changed(const KnownNode& node) override;
  void on_node_removed(const KnownNode& node) override;
  void state(NodeState state);

  void act();
  void tell(const std::string& process);
  template <auto Order>
  void order(const std::string& process);
  void leave_order(const std::string& process);
  void ask_waited_for();
  void arm();
  void log_progress();
  void log_end();
  void end_in(std::chrono::milliseconds time);

  Node& node_;
  NodeTable& table_;
  LoadReports& reports_;
  ShutdownStages stages_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  std::size_t logged_ = 0;  // stages whose end was logged
  bool ended_ = false;      // and that was acted on
  bool fetched_ = false;
  std::set<std::string> left_orders_;  // processes that will hear the order late
  entity::TimerOwner tick_;
  entity::TimerOwner asking_;
  entity::TimerOwner end_;
};

}  // namespace starbus::nodes::manager
