/// The ports of a gate to the accounts and logins of a cluster: RPC to `account/NAME`; to
/// `service/accounts`, which loads accounts; and to `service/login`.
#pragma once

#include "nodes/gate/node/ports.hpp"
#include "nodes/runtime/node.hpp"

namespace starbus::nodes::programs {

/// The node outlives what the functions refer to. The loop's thread.
gate::Ports cluster_ports(Node& node);

}  // namespace starbus::nodes::programs
