#include "nodes/manager/manager.hpp"

#include <algorithm>

#include "nodes/manager/cluster_shutdown.hpp"
#include "nodes/manager/cluster_watch.hpp"
#include "nodes/manager/load_reports.hpp"
#include "nodes/manager/load_service.hpp"
#include "nodes/manager/manager_admin.hpp"
#include "nodes/manager/manager_service.hpp"
#include "nodes/manager/placement/placement_settings.hpp"
#include "nodes/manager/placement/service_placer.hpp"

namespace starbus::nodes::manager {

/// The parts of a manager, one object each: made in start(), where the node is known; the table
/// calls them when nodes come and go. Further ones join here.
struct ManagerParts {
  ManagerParts(Node& node, ShutdownPlan shutdown_plan)
      : plan(std::move(shutdown_plan)),
        watch(node, table),
        reports(node, table),
        shutdown(node, table, reports, plan),
        placer(node, table, std::string(kManagerChannel),
               [this] {
                 const ShutdownPhase phase = shutdown.phase();
                 return phase == ShutdownPhase::running || phase == ShutdownPhase::done;
               }),
        service(node, table, reports, shutdown, placer),
        loads(table, [this](const std::string& process) { return reports.find(process); }) {}

  const ShutdownPlan plan;
  NodeTable table;
  ClusterWatch watch;
  LoadReports reports;
  ClusterShutdown shutdown;
  ServicePlacer placer;
  ManagerService service;
  LoadService loads;
};

Manager::Manager() = default;
Manager::~Manager() = default;

void Manager::configure(daemon::ConfigReader& reader) {
  plan_ = read_shutdown_plan(reader.table("shutdown"));
  wanted_ = read_wanted_types(reader);
}

bus::Result<> Manager::start(Node& node) {
  parts_ = std::make_unique<ManagerParts>(node, plan_);
  node.offer(std::string(kManagerChannel), parts_->service);
  node.offer(std::string(kLoadService), parts_->loads);
  add_manager_admin(node, parts_->service, parts_->table, parts_->reports);
  if (auto started = parts_->reports.start(); !started) return started;
  parts_->shutdown.start();
  parts_->placer.want(wanted_);
  if (auto started = parts_->placer.start(); !started) return started;
  return parts_->watch.start();
}

bus::Result<> Manager::reload() {
  parts_->placer.want(wanted_);
  if (plan_ == parts_->plan) return {};
  return bus::Error(bus::Errc::bad_config, "[shutdown] changed: restart the manager to apply it");
}

std::string Manager::status() const {
  const auto& nodes = parts_->table.nodes();
  const auto ready = std::ranges::count_if(nodes, [](const auto& row) { return row.second.ready; });
  return std::to_string(nodes.size()) + " nodes, " + std::to_string(ready) + " ready" +
         (parts_->watch.current() ? "" : "; not all are seen: a watch waits or is refused");
}

}  // namespace starbus::nodes::manager
