/// In which order a cluster ends: stages, each with roles and a deadline. A plain value.
///
/// Each role has one stage. The stage with the role "*" has all roles that no stage names, and
/// nodes whose role is unknown. Managers are not in the plan: they always are the last stage.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/config/config.hpp"

namespace starbus::nodes::manager {

/// The role of managers, and the name that stands for all roles that no stage names.
inline constexpr std::string_view kManagerRole = "manager";
inline constexpr std::string_view kOtherRoles = "*";

/// One stage: it ends when no node of its roles is left, or at its deadline.
struct ShutdownStage {
  std::string name;
  std::vector<std::string> roles;
  std::chrono::milliseconds deadline{};

  bool operator==(const ShutdownStage&) const = default;
};

struct ShutdownPlan {
  std::vector<ShutdownStage> stages;  // never empty; the last one is that of managers

  /// The index of the stage that ends this role.
  std::size_t stage_of(std::string_view role) const;
  bool operator==(const ShutdownPlan&) const = default;
};

/// gates, accounts, services, spaces, storage.
ShutdownPlan default_shutdown_plan();
/// The table [shutdown]: `deadline`, of stages that have none of their own, and [[shutdown.stage]]
/// with `name`, `roles`, `deadline`; the default stages if there are none. Problems are noted in
/// the reader.
ShutdownPlan read_shutdown_plan(daemon::ConfigReader table);

}  // namespace starbus::nodes::manager
