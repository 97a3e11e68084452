#pragma once

#include "daemon/metrics.hpp"
#include "nodes/gate/net/front.hpp"

namespace starbus::nodes::gate::net {

/// Adds starbus_gate_* to the metrics of a process. The Front outlives them; the loop's thread.
void add_front_metrics(daemon::Metrics& metrics, Front& front);

}  // namespace starbus::nodes::gate::net
