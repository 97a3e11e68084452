/// Property values that the store gets beside the bytes of an entity, for searches.
#pragma once

#include <string>
#include <vector>

#include "entity/properties/root.hpp"
#include "nodes/hosting/saved_value.hpp"

namespace starbus::nodes::entities {

/// The first path that does not lead to a saved field of an entity ("level", "stats.strength";
/// elements of containers do not count); empty if all do.
std::string not_searchable(const entity::Root& properties, const std::vector<std::string>& paths);

/// The values at the valid paths.
std::vector<SavedValue> searchable_values(const entity::Root& properties,
                                          const std::vector<std::string>& paths);

}  // namespace starbus::nodes::entities
