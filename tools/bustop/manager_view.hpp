/// Reports of the manager as text for people. Pure functions.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "nodes/manager/cluster_report.hpp"
#include "nodes/manager/placement/setback_report.hpp"
#include "nodes/manager/shutdown_report.hpp"
#include "tools/terminal/table.hpp"

namespace starbus::bustop {

/// The description of an entity, a line per field, its properties as a tree. Texts of peers are
/// made printable.
std::string render_entity(const nlohmann::ordered_json& entity, const Look& look);

/// The nodes of the cluster with their states and loads, as a table.
std::string render_managed(const nodes::manager::ClusterReport& report, const Look& look);

/// Service instances whose hosts have died; empty if there are none.
std::string render_setbacks(const nodes::manager::SetbackReport& report, const Look& look);

/// The stages of a shutdown with the nodes in each, then the nodes that blocked it.
std::string render_shutdown(const nodes::manager::ShutdownReport& report, const Look& look);

/// The progress of a shutdown, line by line, from successive reports.
class ShutdownCourse {
 public:
  explicit ShutdownCourse(const Look& look) : look_(look) {}

  /// Lines about changes since the last call; `remind`: also the nodes that block the stage.
  std::string news(const nodes::manager::ShutdownReport& report, bool remind);

 private:
  const Look look_;
  std::size_t told_ = 0;  // stages printed so far
};

/// The last line, with advice about the nodes that block.
std::string render_verdict(const nodes::manager::ShutdownReport& report, const Look& look);

}  // namespace starbus::bustop
