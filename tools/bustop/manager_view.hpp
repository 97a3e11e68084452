/// What the manager tells, as text for people. Pure.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "nodes/manager/cluster_report.hpp"
#include "nodes/manager/placement/setback_report.hpp"
#include "nodes/manager/shutdown_report.hpp"
#include "tools/terminal/table.hpp"

namespace starbus::bustop {

/// What an entity says of itself: one line for each thing, its properties as a tree. What comes
/// from elsewhere is made printable.
std::string render_entity(const nlohmann::ordered_json& entity, const Look& look);

std::string render_managed(const nodes::manager::ClusterReport& report, const Look& look);
/// Stage by stage, with who is there; then who blocked.
/// Empty if nothing is held against anybody.
std::string render_setbacks(const nodes::manager::SetbackReport& report, const Look& look);

std::string render_shutdown(const nodes::manager::ShutdownReport& report, const Look& look);

/// The course of a shutdown, line by line, out of one report after the other.
class ShutdownCourse {
 public:
  explicit ShutdownCourse(const Look& look) : look_(look) {}

  /// What is new; `remind`: also whom the present stage waits for.
  std::string news(const nodes::manager::ShutdownReport& report, bool remind);

 private:
  const Look look_;
  std::size_t told_ = 0;  // stages
};

/// The last line, and what to do about who blocks.
std::string render_verdict(const nodes::manager::ShutdownReport& report, const Look& look);

}  // namespace starbus::bustop
