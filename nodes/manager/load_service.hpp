/// How busy the nodes of a role are, under `service/load`: for those who need no more than that of
/// the cluster, such as logins. Who may call `manager/` may shut the cluster down.
///
/// Belongs to the loop's thread; the table outlives it. Only servers may call.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "nodes/manager/load_reports.hpp"
#include "nodes/manager/node_table.hpp"

namespace starbus::nodes::manager {

/// The shared name of all managers that answer.
inline constexpr std::string_view kLoadService = "service/load";

/// A ready node. Sent over the bus.
struct RoleNode {
  std::string process;       // HOST.NODE
  bool measured = false;     // it has answered once
  double busy_ms_per_s = 0;  // of 1000
  std::uint64_t age_ms = 0;  // of that

  template <class Archive>
  void serialize(Archive& archive) {
    archive(process, measured, busy_ms_per_s, age_ms);
  }
};

class LoadService final : public entity::rpc::Callable<LoadService> {
 public:
  /// The latest report of a process; null: it is unknown.
  using Find = std::function<const LoadReports::Latest*(const std::string& process)>;

  LoadService(const NodeTable& table, Find find) : table_(table), find_(std::move(find)) {}
  ~LoadService() { close_rpc(); }

  /// The ready nodes of a role, by name: the first kReportRows.
  std::vector<RoleNode> of_role(entity::rpc::Caller& from, std::string role);

  static constexpr auto kRpc =
      entity::rpc::methods("starbus_load", entity::rpc::method<&LoadService::of_role>("of_role"));

 private:
  const NodeTable& table_;
  const Find find_;
};

}  // namespace starbus::nodes::manager
