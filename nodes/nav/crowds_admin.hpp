/// What operators see of a pool of crowds. The loop's thread; the pool outlives the node.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "nodes/nav/crowd_pool.hpp"

namespace starbus::daemon {
class Metrics;
}  // namespace starbus::daemon

namespace starbus::nodes::crowds {

/// The counts of a pool, its maps, and how long batches take.
nlohmann::json json_of(const CrowdPool& pool);
/// The same as starbus_crowd*.
void add_metrics(daemon::Metrics& metrics, const CrowdPool& pool);

}  // namespace starbus::nodes::crowds
