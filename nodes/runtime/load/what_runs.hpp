#pragma once

#include "entity/rpc/endpoint.hpp"
#include "nodes/runtime/load/load.hpp"
#include "nodes/runtime/load/stall_detector.hpp"

namespace starbus::nodes {

/// The work that a loop runs now, by the most exact name known: an RPC method, a reply callback or
/// an announced activity (Endpoint::running); else a kind of work; else the handler that the bus
/// calls. From any thread.
StallDetector::Handler what_runs(const entity::rpc::Endpoint& endpoint, const Load& load);

}  // namespace starbus::nodes
