#include "nodes/manager/manager_service.hpp"

#include <algorithm>
#include <chrono>

#include "bus/io/clock.hpp"
#include "nodes/manager/limits.hpp"

namespace starbus::nodes::manager {
namespace {

ClusterNode describe(const KnownNode& node, const LoadReports::Latest* latest, entity::Time now) {
  ClusterNode row;
  row.process = node.process;
  row.role = node.role;
  row.ready = node.ready;
  if (latest == nullptr || !latest->report) return row;
  row.answers = latest->answers;
  const auto age = std::chrono::duration_cast<std::chrono::milliseconds>(now - latest->at);
  row.age_ms = static_cast<std::uint64_t>(std::max<std::int64_t>(age.count(), 0));
  const NodeReport& report = *latest->report;
  row.state = name_of(report.state);
  row.status = report.status;
  row.busy_ms_per_s = report.busy_ms_per_s;
  row.stalls = report.stalls;
  row.posted = report.posted;
  row.tasks = report.tasks;
  row.dictionary = report.dictionary;
  return row;
}

}  // namespace

ManagerService::ManagerService(Node& node, const NodeTable& table, const LoadReports& reports,
                               ClusterShutdown& shutdown, ServicePlacer& placer)
    : node_(node), table_(table), reports_(reports), shutdown_(shutdown), placer_(placer) {
  attach(placer.control()).value();
}

ClusterReport ManagerService::cluster(entity::rpc::Caller&, std::string after) {
  return nodes_after(after);
}

ClusterReport ManagerService::nodes_after(const std::string& after) const {
  ClusterReport report;
  report.manager = node_.process();
  report.total = table_.nodes().size();
  report.left_out = table_.left_out();
  const entity::Time now = bus::io::boot_now();
  for (auto row = table_.nodes().upper_bound(after); row != table_.nodes().end(); ++row) {
    if (report.nodes.size() == kReportRows) {
      report.more = true;
      break;
    }
    report.nodes.push_back(describe(row->second, reports_.find(row->first), now));
  }
  return report;
}

ShutdownReport ManagerService::shutdown(entity::rpc::Caller&, std::string reason) {
  ShutdownReport report = shutdown_.request(std::move(reason));
  shutdown_.fetched();
  return report;
}

ShutdownReport ManagerService::shutdown_report(entity::rpc::Caller&) {
  shutdown_.fetched();
  return shutdown_.report();
}

entity::rpc::Task<bus::Result<IdRange>> ManagerService::allocate(entity::rpc::Caller&,
                                                                 std::string counter) {
  auto range = co_await allocate_ids(node_.bus(), counter);
  co_return range;
}

SetbackReport ManagerService::setbacks(entity::rpc::Caller&) {
  return placer_.setbacks();
}

bool ManagerService::release(entity::rpc::Caller&, std::string instance) {
  return placer_.release(instance);
}

bus::Result<std::string> ManagerService::least_loaded(entity::rpc::Caller&, std::string role,
                                                      std::vector<std::string> except) {
  if (shutdown_.phase() == ShutdownPhase::running) return bus::Error(bus::Errc::shutting_down);
  std::vector<NodeLoad> nodes;
  for (const auto& [process, node] : table_.nodes()) {
    if (!node.ready || node.role != role || std::ranges::count(except, process) != 0) continue;
    const LoadReports::Latest* const latest = reports_.find(process);
    if (latest == nullptr || !latest->answers || !latest->report) continue;
    nodes.push_back({process, latest->report->busy_ms_per_s, latest->at});
  }
  std::string chosen = load_choice_.choose(nodes);
  if (!chosen.empty()) return chosen;
  return bus::Error(bus::Errc::no_owner, "role " + role + ": no ready node answers; start one");
}

}  // namespace starbus::nodes::manager
