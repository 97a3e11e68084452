#include "nodes/manager/cluster_shutdown.hpp"

#include <spdlog/spdlog.h>

#include <utility>

#include "bus/io/clock.hpp"
#include "nodes/manager/limits.hpp"
#include "nodes/runtime/node_control.hpp"
#include "nodes/runtime/presence.hpp"

namespace starbus::nodes::manager {

using std::chrono::milliseconds;

ClusterShutdown::ClusterShutdown(Node& node, NodeTable& table, LoadReports& reports,
                                 ShutdownPlan plan)
    : node_(node), table_(table), reports_(reports), stages_(std::move(plan)) {}

void ClusterShutdown::start() {
  table_.listen(*this);
  reports_.on_news(
      [this](const std::string& process) { stages_.status(process, reports_.words(process)); });
  node_.on_state([this](NodeState entered) { state(entered); });
}

// --- what happens --------------------------------------------------------------------------------

void ClusterShutdown::on_node_added(const KnownNode& node) {
  stages_.set_self(node_.process());
  stages_.on_node_added(node.process, node.role, bus::io::boot_now());
  act();
}

void ClusterShutdown::on_node_changed(const KnownNode& node) {
  stages_.role_known(node.process, node.role, bus::io::boot_now());
  act();
}

void ClusterShutdown::on_node_removed(const KnownNode& node) {
  stages_.on_node_removed(node.process, bus::io::boot_now());
  act();
}

/// It drains, or has lost its lease, and with it the name under which it is asked.
void ClusterShutdown::state(NodeState entered) {
  if (entered == NodeState::ready || stages_.phase() != ShutdownPhase::running) return;
  spdlog::warn("cluster shutdown: aborted, since this manager is {}", name_of(entered));
  stages_.abandon(bus::io::boot_now());
}

ShutdownReport ClusterShutdown::request(std::string reason) {
  reason.resize(std::min<std::size_t>(reason.size(), kMaxReason));
  stages_.set_self(node_.process());
  if (stages_.begin(reason, bus::io::boot_now())) {
    spdlog::warn("the cluster shuts down: {}", reason.empty() ? "no reason given" : reason);
    logged_ = 0;
    act();
    ask_waited_for();
  }
  return report();
}

ShutdownReport ClusterShutdown::report() const {
  return stages_.report(bus::io::boot_now());
}

void ClusterShutdown::fetched() {
  if (stages_.phase() != ShutdownPhase::done || std::exchange(fetched_, true)) return;
  end_in(kLastReportGrace);
}

// --- what is done about it -----------------------------------------------------------------------

void ClusterShutdown::act() {
  for (const std::string& process : stages_.take_drains()) tell(process);
  log_progress();
  if (stages_.phase() == ShutdownPhase::done && !std::exchange(ended_, true)) {
    log_end();
    end_in(kLastReportWait);
  }
  arm();
}

void ClusterShutdown::tell(const std::string& process) {
  stages_.status(process, "has not answered the order to drain yet");
  order<&NodeControl::end_with_cluster>(process);
}

template <auto Order>
void ClusterShutdown::order(const std::string& process) {
  entity::rpc::CallOptions options;
  options.deadline = kDrainDeadline;
  entity::rpc::call<Order>(node_.rpc(), presence_name(process), options)(
      [this, process, weak = std::weak_ptr(alive_)](const entity::rpc::Reply<>& reply) {
        if (weak.expired() || reply) return;
        const bool earlier = reply.error().code == entity::rpc::Errc::rpc_not_found;
        if (earlier && Order != &NodeControl::drain) {  // it is of an earlier build
          return order<&NodeControl::drain>(process);
        }
        const bool silent = reply.error().code == entity::rpc::Errc::deadline;
        if (silent) leave_order(process);
        stages_.status(process,
                       silent ? "does not answer"
                              : "does not take the order to drain: " + reply.error().to_string());
        stages_.not_told(process, bus::io::boot_now());
        arm();
      });
}

/// A call whose deadline is over is taken back. One that goes on after that drains all the same.
void ClusterShutdown::leave_order(const std::string& process) {
  if (!left_orders_.insert(process).second) return;
  const auto sent =
      entity::rpc::send<&NodeControl::end_with_cluster>(node_.rpc(), presence_name(process), {});
  if (!sent) left_orders_.erase(process);  // with the next order
}

/// The status of nodes that are waited for goes into the report of nodes that block.
void ClusterShutdown::ask_waited_for() {
  for (const std::string& process : stages_.waited_for()) reports_.ask_soon(process);
  if (stages_.phase() != ShutdownPhase::running) return;
  const auto set = node_.timers().after(asking_, kShutdownInterval, [this] { ask_waited_for(); });
  if (!set) spdlog::error("no timer: blocking nodes are asked once a second only");
}

void ClusterShutdown::arm() {
  tick_.cancel_all();
  const auto next = stages_.next_tick();
  if (!next) return;
  const auto set = node_.timers().at(tick_, *next, [this] {
    stages_.tick(bus::io::boot_now());
    act();
  });
  if (!set) node_.stop(bus::Error(bus::Errc::io_error, "no timer"));
}

void ClusterShutdown::end_in(milliseconds time) {
  end_.cancel_all();
  const auto set = node_.timers().after(end_, time, [this] { node_.stop(); });
  if (!set) node_.stop();
}

void ClusterShutdown::log_progress() {
  if (logged_ == stages_.stages_over()) return;
  const ShutdownReport now = report();
  for (; logged_ < stages_.stages_over(); ++logged_) {
    const StageReport& stage = now.stages[logged_];
    spdlog::info("shutdown: stage {} is {} after {} ms, {} nodes ended", stage.name,
                 name_of(stage.state), stage.elapsed_ms, stage.ended);
    for (const BlockedNode& blocked : now.blocked) {
      if (blocked.stage != stage.name) continue;
      spdlog::error("shutdown: {} ({}) blocks stage {}: {}", blocked.node.process,
                    blocked.node.role, stage.name, blocked.node.status);
    }
  }
}

void ClusterShutdown::log_end() {
  const ShutdownReport last = report();
  const std::size_t blocked = last.blocked.size() + last.blocked_left_out;
  if (blocked == 0) return spdlog::info("the cluster is shut down, in {} ms", last.elapsed_ms);
  spdlog::error("the cluster is shut down, in {} ms, except for {} nodes that did not end in time",
                last.elapsed_ms, blocked);
}

}  // namespace starbus::nodes::manager
