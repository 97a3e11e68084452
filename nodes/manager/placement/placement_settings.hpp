#pragma once

#include <vector>

#include "daemon/config/config.hpp"
#include "nodes/manager/placement/placement_plan.hpp"

namespace starbus::nodes::manager {

/// The wanted services, from [services] and [[service]] of the manager's file;
/// docs/guide/placement.md has the keys. Problems are noted in the reader.
std::vector<WantedType> read_wanted_types(daemon::ConfigReader& reader);

}  // namespace starbus::nodes::manager
