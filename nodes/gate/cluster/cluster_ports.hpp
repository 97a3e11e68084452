/// The ports of a gate to the accounts and logins of a cluster: RPC to `account/NAME`; to
/// `service/accounts`, which loads accounts; and to `service/login`.
///
/// A login is asked again and again until it says yes or no: each question waits there for a few
/// seconds, so that a login that dies costs its clients a question, and not their place.
#pragma once

#include "nodes/gate/node/ports.hpp"
#include "nodes/runtime/node.hpp"

namespace starbus::nodes::gate {

/// The node outlives what the functions refer to. The loop's thread.
Ports cluster_ports(Node& node);

}  // namespace starbus::nodes::gate
