/// The properties of this program as JSON: docs/reference/schema.md. For tools; one thread.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "entity/archive/type_table.hpp"

namespace starbus::entity {

/// All classes of Properties and the structs within them, by name; what the types of their values
/// consist of goes to the table. Throws std::logic_error if a declaration breaks a limit.
nlohmann::ordered_json properties_schema(TypeTable& types);

}  // namespace starbus::entity
