#include "nodes/manager/load_service.hpp"

#include <algorithm>
#include <chrono>

#include "bus/io/clock.hpp"
#include "nodes/manager/limits.hpp"

namespace starbus::nodes::manager {

std::vector<RoleNode> LoadService::of_role(entity::rpc::Caller&, std::string role) {
  using std::chrono::milliseconds;
  std::vector<RoleNode> nodes;
  const entity::Time now = bus::io::boot_now();
  for (const auto& [process, node] : table_.nodes()) {
    if (!node.ready || node.role != role) continue;
    if (nodes.size() == kReportRows) break;
    RoleNode& row = nodes.emplace_back();
    row.process = process;
    const LoadReports::Latest* const latest = find_(process);
    if (latest == nullptr || !latest->report) continue;
    row.measured = true;
    row.busy_ms_per_s = latest->report->busy_ms_per_s;
    const auto age = std::chrono::duration_cast<milliseconds>(now - latest->at);
    row.age_ms = static_cast<std::uint64_t>(std::max<std::int64_t>(age.count(), 0));
  }
  return nodes;
}

}  // namespace starbus::nodes::manager
