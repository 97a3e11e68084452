/// The sub-command that asks about spaces over the bus: bustop spaces.
#pragma once

#include "tools/bustop/manager_commands.hpp"
#include "tools/bustop/spaces/space_report.hpp"

namespace starbus::bustop {

/// Exit codes as of commands.hpp. kExitBad: some node did not answer; kExitNotFound: nobody hosts
/// the service of spaces.
int run_spaces(const ManagerContext& context, const SpacesQuery& query);

}  // namespace starbus::bustop
