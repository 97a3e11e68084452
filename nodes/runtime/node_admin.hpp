#pragma once

namespace starbus::nodes {

class NodeCore;

/// The node's part of the admin server: /inspect, /rpc, and its metrics; docs/guide/nodes.md lists
/// the fields. Called once. The routes read `core`, so the server stops serving before that ends.
void add_node_admin(NodeCore& core);

}  // namespace starbus::nodes
