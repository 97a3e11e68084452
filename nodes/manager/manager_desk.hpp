/// What the manager answers to others, under manager/cluster.
///
///   rpc::call<&ManagerDesk::cluster>(endpoint, manager::kManagerChannel, {}, "");
///
/// Belongs to the loop's thread. Only servers may call (docs/rpc.md); who of these may send to
/// manager/ is in busd's access list.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "entity/rpc/rpc.hpp"
#include "nodes/manager/cluster_report.hpp"
#include "nodes/manager/cluster_shutdown.hpp"
#include "nodes/manager/id_blocks.hpp"
#include "nodes/manager/load_reports.hpp"
#include "nodes/manager/node_table.hpp"
#include "nodes/manager/placement/service_placer.hpp"

namespace starbus::nodes::manager {

inline constexpr std::string_view kManagerChannel = service::kPlacerChannel;

class ManagerDesk final : public entity::rpc::Callable<ManagerDesk> {
 public:
  ManagerDesk(Node& node, const NodeTable& table, const LoadReports& reports,
              ClusterShutdown& shutdown, ServicePlacer& placer);

  /// The nodes in the order of their names, from the one behind `after` on ("" for all): at most
  /// kReportRows.
  ClusterReport cluster(entity::rpc::Caller& from, std::string after);
  /// Begins the shutdown of the cluster, or joins the one that runs, which it does not change.
  ShutdownReport shutdown(entity::rpc::Caller& from, std::string reason);
  /// How far that is; before one, who would be told in which stage.
  ShutdownReport shutdown_report(entity::rpc::Caller& from);
  /// The next kIdBlock ids of a counter, which nobody gets again: see id_blocks.hpp.
  entity::rpc::Task<bus::Result<IdRange>> allocate(entity::rpc::Caller& from, std::string counter);
  /// Instances of services that are suspected of deaths of their hosts: docs/placement.md.
  SetbackReport setbacks(entity::rpc::Caller& from);
  /// Ends the quarantine or pause of "chat/2". False: nothing is held against such an instance.
  bool release(entity::rpc::Caller& from, std::string instance);

  // The same without a call, for the admin server.
  ClusterReport nodes_after(const std::string& after) const;
  ShutdownReport shutdown_now() const { return shutdown_.report(); }
  std::size_t quarantined() const { return placer_.quarantined(); }

  static constexpr auto kRpc =
      entity::rpc::methods("manager", entity::rpc::method<&ManagerDesk::cluster>("cluster"),
                           entity::rpc::method<&ManagerDesk::shutdown>("shutdown"),
                           entity::rpc::method<&ManagerDesk::shutdown_report>("shutdown_report"),
                           entity::rpc::method<&ManagerDesk::allocate>("allocate"),
                           entity::rpc::method<&ManagerDesk::setbacks>("setbacks"),
                           entity::rpc::method<&ManagerDesk::release>("release"));

 private:
  Node& node_;
  const NodeTable& table_;
  const LoadReports& reports_;
  ClusterShutdown& shutdown_;
  ServicePlacer& placer_;
};

}  // namespace starbus::nodes::manager
