/// What operators see of a pool of crowds. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "nodes/nav/crowd_pool.hpp"

namespace starbus::nodes::crowds {

/// The counts of a pool, its maps, and how long batches take.
nlohmann::json json_of(const CrowdPool& pool);

}  // namespace starbus::nodes::crowds
