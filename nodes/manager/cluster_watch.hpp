/// Keeps a NodeTable equal to the directory, from the start of the node on.
///
/// Belongs to the loop's thread; the node outlives it. While a watch is refused the table keeps the
/// rows that it had, says so in the log, and the manager goes on (`current`).
#pragma once

#include <list>

#include "bus/client/lasting_watch.hpp"
#include "nodes/manager/node_table.hpp"
#include "nodes/runtime/node.hpp"

namespace starbus::nodes::manager {

class ClusterWatch {
 public:
  /// Call it within App::start: the node is not ready before the table is complete.
  ClusterWatch(Node& node, NodeTable& table);
  bus::Result<> start();
  /// False while a watch is refused: the table may be outdated, and is not the whole cluster.
  bool current() const;

 private:
  void updated();

  Node& node_;
  NodeTable& table_;
  std::list<bus::LastingWatch> watches_;
  Done waiting_;  // the step before readiness
};

}  // namespace starbus::nodes::manager
