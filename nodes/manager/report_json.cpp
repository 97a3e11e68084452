#include "nodes/manager/report_json.hpp"

#include <nlohmann/json.hpp>

#include "base/hex.hpp"

namespace starbus::nodes::manager {

using Json = nlohmann::ordered_json;

Json to_json(const ClusterReport& report) {
  Json rows = Json::array();
  for (const ClusterNode& node : report.nodes) {
    rows.push_back({{"process", node.process},
                    {"role", node.role},
                    {"ready", node.ready},
                    {"answers", node.answers},
                    {"age_ms", node.age_ms},
                    {"state", node.state},
                    {"status", node.status},
                    {"busy_ms_per_s", node.busy_ms_per_s},
                    {"stalls", node.stalls},
                    {"posted", node.posted},
                    {"tasks", node.tasks},
                    {"dictionary", hex_of(node.dictionary)}});
  }
  return {{"manager", report.manager},
          {"nodes", rows},
          {"total", report.total},
          {"left_out", report.left_out},
          {"more", report.more}};
}

namespace {

Json node_json(const ShutdownNode& node) {
  return {{"process", node.process}, {"role", node.role}, {"status", node.status}};
}

Json stage_json(const StageReport& stage) {
  Json nodes = Json::array();
  for (const ShutdownNode& node : stage.nodes) nodes.push_back(node_json(node));
  return {{"name", stage.name},
          {"roles", stage.roles},
          {"deadline_ms", stage.deadline_ms},
          {"state", name_of(stage.state)},
          {"elapsed_ms", stage.elapsed_ms},
          {"ended", stage.ended},
          {"nodes", nodes},
          {"left_out", stage.left_out}};
}

}  // namespace

Json to_json(const ShutdownReport& report) {
  Json stages = Json::array();
  for (const StageReport& stage : report.stages) stages.push_back(stage_json(stage));
  Json blocked = Json::array();
  for (const BlockedNode& row : report.blocked) {
    Json node = node_json(row.node);
    node["stage"] = row.stage;
    node["gone"] = row.gone;
    blocked.push_back(std::move(node));
  }
  return {{"phase", name_of(report.phase)},
          {"manager", report.manager},
          {"reason", report.reason},
          {"elapsed_ms", report.elapsed_ms},
          {"stages", stages},
          {"blocked", blocked},
          {"blocked_left_out", report.blocked_left_out}};
}

Json to_json(const SetbackReport& report) {
  Json rows = Json::array();
  for (const SetbackRow& row : report.rows) {
    rows.push_back({{"instance", row.instance},
                    {"deaths", row.deaths},
                    {"sole", row.sole},
                    {"host", row.host},
                    {"age_ms", row.age_ms},
                    {"quarantined", row.quarantined},
                    {"pause_ms", row.pause_ms}});
  }
  return rows;
}

}  // namespace starbus::nodes::manager
