/// The RPC methods of the manager, under manager/cluster.
///
///   rpc::call<&ManagerService::cluster>(endpoint, manager::kManagerChannel, {}, "");
///
/// Belongs to the loop's thread. Only servers may call (docs/guide/rpc.md), and gates allocate();
/// the access list of busd says which of them may send to manager/.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "entity/rpc/rpc.hpp"
#include "nodes/manager/cluster_report.hpp"
#include "nodes/manager/cluster_shutdown.hpp"
#include "nodes/manager/id_blocks.hpp"
#include "nodes/manager/load_choice.hpp"
#include "nodes/manager/load_reports.hpp"
#include "nodes/manager/node_table.hpp"
#include "nodes/manager/placement/service_placer.hpp"

namespace starbus::nodes::manager {

inline constexpr std::string_view kManagerChannel = service::kPlacerChannel;

class ManagerService final : public entity::rpc::Callable<ManagerService> {
 public:
  ManagerService(Node& node, const NodeTable& table, const LoadReports& reports,
                 ClusterShutdown& shutdown, ServicePlacer& placer);

  /// The nodes in the order of their names, after the name `after` ("" for all): at most
  /// kReportRows.
  ClusterReport cluster(entity::rpc::Caller& from, std::string after);
  /// Begins the shutdown of the cluster, or joins the one that runs, which it does not change.
  ShutdownReport shutdown(entity::rpc::Caller& from, std::string reason);
  /// Its progress; before a shutdown, which stage each node would be drained in.
  ShutdownReport shutdown_report(entity::rpc::Caller& from);
  /// The next kIdBlock ids of a counter, granted once for ever: see id_blocks.hpp.
  entity::rpc::Task<bus::Result<IdRange>> allocate(entity::rpc::Caller& from, std::string counter);
  /// Instances of services that are suspected of deaths of their hosts: docs/guide/placement.md.
  SetbackReport setbacks(entity::rpc::Caller& from);
  /// Ends the quarantine or pause of "chat/2". False if it has neither.
  bool release(entity::rpc::Caller& from, std::string instance);

  /// The process of the ready node of a role that is least busy, and none of `except`: for an
  /// entity that is placed there. no_owner: there is none that answers; shutting_down.
  bus::Result<std::string> least_loaded(entity::rpc::Caller& from, std::string role,
                                        std::vector<std::string> except);

  // The same without a call, for the admin server.
  ClusterReport nodes_after(const std::string& after) const;
  ShutdownReport shutdown_now() const { return shutdown_.report(); }
  std::size_t quarantined() const { return placer_.quarantined(); }

  static constexpr auto kRpc = entity::rpc::methods(
      "manager", entity::rpc::method<&ManagerService::cluster>("cluster"),
      entity::rpc::method<&ManagerService::shutdown>("shutdown"),
      entity::rpc::method<&ManagerService::shutdown_report>("shutdown_report"),
      entity::rpc::method<&ManagerService::allocate>("allocate", entity::rpc::gate),
      entity::rpc::method<&ManagerService::setbacks>("setbacks"),
      entity::rpc::method<&ManagerService::release>("release"),
      entity::rpc::method<&ManagerService::least_loaded>("least_loaded"));

 private:
  Node& node_;
  const NodeTable& table_;
  const LoadReports& reports_;
  ClusterShutdown& shutdown_;
  ServicePlacer& placer_;
  LoadChoice load_choice_;
};

}  // namespace starbus::nodes::manager
