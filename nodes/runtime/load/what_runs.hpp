#pragma once

#include "entity/rpc/endpoint.hpp"
#include "nodes/runtime/load/load.hpp"
#include "nodes/runtime/load/stall_detector.hpp"

namespace starbus::nodes {

/// What a loop runs now, by the most exact name that there is: a method of RPC, what takes its
/// answer, or what says of itself what it does (Endpoint::running); a kind of work; what the bus
/// hands over. From any thread.
StallDetector::Handler what_runs(const entity::rpc::Endpoint& endpoint, const Load& load);

}  // namespace starbus::nodes
