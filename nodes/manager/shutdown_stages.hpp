/// The shutdown of a cluster, without I/O: decides which nodes to drain next.
///
///   stages.begin("new version", now);
///   for (const std::string& process : stages.take_drains()) ...   // tell it to drain
///
/// Belongs to one thread, which passes the time in and calls tick() at next_tick(). Rules: a stage
/// waits for the nodes of its roles, and for late nodes of earlier stages; each gets the order to
/// drain as soon as it is seen, and again if that has failed. A stage without nodes ends at once.
/// At
/// its deadline the remaining nodes are noted as blocked, and the next stage begins. So the
/// shutdown ends within the sum of the deadlines. It never drains the process that it runs in.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "nodes/manager/shutdown_plan.hpp"
#include "nodes/manager/shutdown_report.hpp"

namespace starbus::nodes::manager {

class ShutdownStages {
 public:
  using Time = std::chrono::nanoseconds;  // of a monotonic clock

  explicit ShutdownStages(ShutdownPlan plan) : plan_(std::move(plan)) {}

  /// This process: it is neither drained nor waited for.
  void set_self(std::string process) { self_ = std::move(process); }

  // --- what happens ---
  void on_node_added(const std::string& process, const std::string& role, Time now);
  void role_known(const std::string& process, const std::string& role, Time now);
  void on_node_removed(const std::string& process, Time now);
  /// The status of a node, for the report.
  void status(const std::string& process, std::string text);
  /// False if a shutdown runs already, or is over: nothing changes.
  bool begin(std::string reason, Time now);
  /// This process is not the manager any more: no more nodes are drained.
  void abandon(Time now);
  /// The order to drain did not reach the node: it is repeated later.
  void not_told(const std::string& process, Time now);
  void tick(Time now);

  // --- what to do ---
  /// Nodes to drain now; each is returned once.
  std::vector<std::string> take_drains();
  /// When to call tick() next; nullopt if nothing depends on time.
  std::optional<Time> next_tick() const;

  ShutdownPhase phase() const { return phase_; }
  /// The nodes that the present stage waits for.
  std::vector<std::string> waited_for() const;
  /// Number of stages that are over.
  std::size_t stages_over() const { return stage_; }
  ShutdownReport report(Time now) const;

 private:
  struct Row {
    std::string role;
    std::string status;
    std::size_t stage = 0;
    bool told = false;
    bool blocked = false;
    std::optional<Time> again;  // when to tell it once more
  };
  struct Stage {
    StageState state = StageState::waiting;
    Time begun{};
    Time over{};
    std::uint64_t ended = 0;
  };

  bool waits_for(const Row& row) const { return !row.blocked && row.stage <= stage_; }
  void go_on(Time now);
  void tell(Time now);
  void end_stage(Time now);
  void note_blocked(const std::string& process, Row& row);
  Time deadline() const { return progress_[stage_].begun + plan_.stages[stage_].deadline; }
  StageReport stage_report(std::size_t index, Time now) const;

  const ShutdownPlan plan_;
  std::string self_;
  ShutdownPhase phase_ = ShutdownPhase::idle;
  std::string reason_;
  Time begun_{};
  Time over_{};
  std::size_t stage_ = 0;  // the present one, while it runs
  std::vector<Stage> progress_;
  std::map<std::string, Row> rows_;  // the nodes that are there, but for this process
  std::vector<std::string> drains_;
  std::vector<BlockedNode> blocked_;
  std::uint64_t blocked_left_out_ = 0;
};

}  // namespace starbus::nodes::manager
