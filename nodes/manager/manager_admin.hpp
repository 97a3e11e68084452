#pragma once

namespace starbus::nodes {
class Node;
}

namespace starbus::nodes::manager {

class LoadReports;
class ManagerService;
class NodeTable;

/// The manager's part of the admin server: /cluster, /shutdown, /ids/skip, metrics;
/// docs/guide/manager.md lists them. Call it once, in start; its arguments live as long as the
/// node.
void add_manager_admin(Node& node, ManagerService& service, const NodeTable& table,
                       const LoadReports& reports);

}  // namespace starbus::nodes::manager
