/// What a store is told of an entity as values, beside its bytes: so that it can be found by them.
#pragma once

#include <string>
#include <vector>

#include "entity/properties/root.hpp"
#include "nodes/hosting/saved_entity.hpp"

namespace starbus::nodes::entities {

/// The first of these paths that leads to no field which is saved, of an entity or of such a field
/// ("level", "stats.strength"; elements come and go); empty: all of them do.
std::string not_searchable(const entity::Root& properties, const std::vector<std::string>& paths);

/// What is at those paths that do.
std::vector<SavedValue> searchable_values(const entity::Root& properties,
                                          const std::vector<std::string>& paths);

}  // namespace starbus::nodes::entities
