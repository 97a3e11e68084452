#pragma once

namespace starbus::nodes {
class Node;
}

namespace starbus::nodes::manager {

class ManagerDesk;

/// The manager's part of the admin server: /cluster, /shutdown, /ids/skip; docs/manager.md lists
/// the fields. Called once, in start; `desk` lives as long as the node.
void add_manager_admin(Node& node, ManagerDesk& desk);

}  // namespace starbus::nodes::manager
