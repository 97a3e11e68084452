#pragma once

#include "nodes/gate/node/gate.hpp"

namespace starbus::nodes::gate {

/// Adds what operators see of a gate: starbus_gate_* to the metrics of the process; /gate and those
/// of gate_clients.hpp to its admin server (docs/operate/gate.md). The gate outlives both. The
/// loop's thread.
void add_gate_admin(Node& node, Gate& gate);

}  // namespace starbus::nodes::gate
