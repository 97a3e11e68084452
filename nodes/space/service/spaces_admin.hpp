/// What operators see of the service of spaces at the node that may host it: `/spaces` of the admin
/// server, and metrics.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "daemon/main_loop.hpp"
#include "nodes/space/names.hpp"
#include "nodes/space/service/space_desk.hpp"

namespace starbus::nodes::space {

/// Adds both. The desk outlives the server and the metrics. Belongs to the loop's thread.
void add_spaces_admin(daemon::DaemonContext& context, const SpaceDesk& desk);

/// The page: the service if it runs here, its nodes, and at most kSpacesPage spaces after a name.
nlohmann::json spaces_page(const SpaceDesk& desk, const SpaceName& after);

}  // namespace starbus::nodes::space
