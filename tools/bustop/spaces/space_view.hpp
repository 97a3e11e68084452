/// Spaces as text for people, and as JSON for scripts. Pure functions.
#pragma once

#include <string>

#include "tools/bustop/json_out.hpp"
#include "tools/bustop/spaces/space_report.hpp"
#include "tools/terminal/table.hpp"

namespace starbus::bustop {

std::string render_spaces(const SpaceList& list, const SpacesQuery& query, const Look& look);
OrderedJson json_of_spaces(const SpaceList& list);

}  // namespace starbus::bustop
