#pragma once

#include "nodes/hosting/guarded_sink.hpp"
#include "nodes/hosting/host_options.hpp"

namespace starbus::nodes::entities {

/// The options with each callable of the program as a unit of its own: what it throws is logged and
/// counted, and is an error of the store to who has called it. `sink` stands for their sink, and
/// outlives the result.
HostOptions guarded_options(HostOptions options, GuardedSink& sink);

}  // namespace starbus::nodes::entities
