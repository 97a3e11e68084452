#include "nodes/manager/shutdown_plan.hpp"

#include <algorithm>
#include <set>

#include "bus/core/wire/name.hpp"
#include "nodes/manager/limits.hpp"
#include "nodes/runtime/node_limits.hpp"

namespace starbus::nodes::manager {
namespace {

using daemon::ConfigReader;
using std::chrono::milliseconds;

void append_managers(ShutdownPlan& plan, milliseconds deadline) {
  plan.stages.push_back({"managers", {std::string(kManagerRole)}, deadline});
}

ShutdownPlan default_plan(milliseconds deadline) {
  ShutdownPlan plan;
  plan.stages = {{"gates", {"gate", "login"}, deadline},
                 {"accounts", {"account"}, deadline},
                 {"services", {"service", std::string(kOtherRoles)}, deadline},
                 {"spaces", {"space"}, deadline},
                 {"storage", {"db"}, deadline}};
  append_managers(plan, deadline);
  return plan;
}

/// Notes what is wrong with a role of a stage.
void check_role(ConfigReader& table, const std::string& role, std::set<std::string>& seen) {
  const auto problem = [&](const char* text) {
    table.problem("roles", "'roles': '" + role + "': " + text);
  };
  if (role != kOtherRoles && (!bus::check_node_name(role) || role.size() > kMaxRole)) {
    return problem("no role");
  }
  if (role == kManagerRole) return problem("managers end last, without being named");
  if (!seen.insert(role).second) problem("another stage has it");
}

ShutdownStage read_stage(ConfigReader& table, milliseconds deadline, std::set<std::string>& roles,
                         std::set<std::string>& names) {
  ShutdownStage stage;
  stage.name = table.required_string("name");
  stage.roles = table.strings("roles");
  stage.deadline = table.duration("deadline", deadline, kLeastStageDeadline, kMostStageDeadline);
  if (!bus::check_node_name(stage.name) || stage.name.size() > kMaxStageName) {
    table.problem("name", "'name': 1.." + std::to_string(kMaxStageName) + " of a-z A-Z 0-9 _ -");
  } else if (!names.insert(stage.name).second) {
    table.problem("name", "'name': another stage has it");
  }
  if (stage.roles.empty()) table.problem("roles", "'roles': a stage has at least one");
  for (const std::string& role : stage.roles) check_role(table, role, roles);
  return stage;
}

}  // namespace

std::size_t ShutdownPlan::stage_of(std::string_view role) const {
  std::size_t others = stages.size() - 1;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    for (const std::string& each : stages[i].roles) {
      if (each == role) return i;
      if (each == kOtherRoles) others = i;
    }
  }
  return others;
}

ShutdownPlan default_shutdown_plan() {
  return default_plan(kStageDeadline);
}

ShutdownPlan read_shutdown_plan(ConfigReader table) {
  const milliseconds deadline =
      table.duration("deadline", kStageDeadline, kLeastStageDeadline, kMostStageDeadline);
  std::vector<ConfigReader> tables = table.tables("stage");
  if (tables.empty()) return default_plan(deadline);
  ShutdownPlan plan;
  std::set<std::string> roles;
  std::set<std::string> names = {"managers"};
  for (ConfigReader& each : tables) {
    plan.stages.push_back(read_stage(each, deadline, roles, names));
  }
  if (!roles.contains(std::string(kOtherRoles))) {
    table.problem("stage", "one [[shutdown.stage]] has the role \"*\": all that no other names");
  }
  if (plan.stages.size() > kMaxStages) {
    table.problem("stage", "at most " + std::to_string(kMaxStages) + " stages");
  }
  append_managers(plan, deadline);
  return plan;
}

}  // namespace starbus::nodes::manager
