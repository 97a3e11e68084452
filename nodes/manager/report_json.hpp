/// The manager's reports as JSON, for its admin server and for bustop; docs/guide/manager.md lists
/// the fields. Pure functions. Texts come from nodes: code that writes them out replaces what is
/// not UTF-8.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "nodes/manager/cluster_report.hpp"
#include "nodes/manager/placement/setback_report.hpp"
#include "nodes/manager/shutdown_report.hpp"

namespace starbus::nodes::manager {

nlohmann::ordered_json to_json(const ClusterReport& report);
nlohmann::ordered_json to_json(const ShutdownReport& report);
/// The rows.
nlohmann::ordered_json to_json(const SetbackReport& report);

}  // namespace starbus::nodes::manager
