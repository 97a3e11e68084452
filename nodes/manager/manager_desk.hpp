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

namespace starbus::nodes::manager {

inline constexpr std::string_view kManagerChannel = "manager/cluster";

class ManagerDesk final : public entity::rpc::Host<ManagerDesk> {
 public:
  ManagerDesk(Node& node, const NodeTable& table, const LoadReports& reports,
              ClusterShutdown& shutdown)
      : node_(node), table_(table), reports_(reports), shutdown_(shutdown) {}

  /// The nodes in the order of their names, from the one behind `after` on ("" for all): at most
  /// kReportRows.
  ClusterReport cluster(entity::rpc::Caller& from, std::string after);
  /// Begins the shutdown of the cluster, or joins the one that runs, which it does not change.
  ShutdownReport shutdown(entity::rpc::Caller& from, std::string reason);
  /// How far that is; before one, who would be told in which stage.
  ShutdownReport shutdown_report(entity::rpc::Caller& from);
  /// The next kIdBlock ids of a counter, which nobody gets again: see id_blocks.hpp.
  entity::rpc::Task<bus::Result<IdRange>> allocate(entity::rpc::Caller& from, std::string counter);

  // The same without a call, for the admin server.
  ClusterReport nodes_after(const std::string& after) const;
  ShutdownReport shutdown_now() const { return shutdown_.report(); }

  static constexpr auto kRpc =
      entity::rpc::methods("manager", entity::rpc::method<&ManagerDesk::cluster>("cluster"),
                           entity::rpc::method<&ManagerDesk::shutdown>("shutdown"),
                           entity::rpc::method<&ManagerDesk::shutdown_report>("shutdown_report"),
                           entity::rpc::method<&ManagerDesk::allocate>("allocate"));

 private:
  Node& node_;
  const NodeTable& table_;
  const LoadReports& reports_;
  ClusterShutdown& shutdown_;
};

}  // namespace starbus::nodes::manager
