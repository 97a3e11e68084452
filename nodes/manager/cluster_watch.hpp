/// Keeps a NodeTable as the directory says, from the node's start on.
///
/// Belongs to the loop's thread; outlived by the node. A refusal of a watch ends the process: a
/// manager that does not see the cluster would shut down half of it.
#pragma once

#include <vector>

#include "nodes/manager/node_table.hpp"
#include "nodes/runtime/node.hpp"

namespace starbus::nodes::manager {

class ClusterWatch {
 public:
  /// Within App::start: the node is not ready before the table is complete.
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
