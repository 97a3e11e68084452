/// In which order a cluster ends: stages, each with roles and a deadline. A plain value.
///
/// Each role has one stage; the one with the role "*" has all that no other names, and nodes whose
/// role is not known. Managers are no part of the plan: they are its last stage, always.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/config/config.hpp"

namespace starbus::nodes::manager {

inline constexpr std::string_view kManagerRole = "manager";
inline constexpr std::string_view kOtherRoles = "*";

struct ShutdownStage {
  std::string name;
  std::vector<std::string> roles;
  std::chrono::milliseconds deadline{};

  bool operator==(const ShutdownStage&) const = default;
};

struct ShutdownPlan {
  std::vector<ShutdownStage> stages;  // never empty; the last one is that of managers

  std::size_t stage_of(std::string_view role) const;
  bool operator==(const ShutdownPlan&) const = default;
};

/// gates, accounts, services, spaces, storage.
ShutdownPlan default_shutdown_plan();
/// The table [shutdown]: `deadline`, of stages that have none of their own, and [[shutdown.stage]]
/// with `name`, `roles`, `deadline`; without any, the default ones. Problems are noted at the
/// reader.
ShutdownPlan read_shutdown_plan(bus::daemon::ConfigReader table);

}  // namespace starbus::nodes::manager
