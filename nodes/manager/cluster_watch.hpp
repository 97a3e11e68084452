/// Keeps a NodeTable equal to the directory, from the start of the node on.
///
/// Belongs to the loop's thread; the node outlives it. A refused watch ends the process: a manager
/// that does not see the whole cluster would shut down half of it.
#pragma once

#include <vector>

#include "nodes/manager/node_table.hpp"
#include "nodes/runtime/node.hpp"

namespace starbus::nodes::manager {

class ClusterWatch {
 public:
  /// Call it within App::start: the node is not ready before the table is complete.
  ClusterWatch(Node& node, NodeTable& table);
  bus::Result<> start();

 private:
  void updated();

  Node& node_;
  NodeTable& table_;
  std::vector<bus::WatchHandle> watches_;
  Done waiting_;  // the step before readiness
};

}  // namespace starbus::nodes::manager
