/// The interfaces of clients that this program calls, as JSON: docs/reference/schema.md. For tools;
/// any thread.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "entity/archive/type_table.hpp"

namespace starbus::entity {

/// By name; what their types consist of goes to the table.
nlohmann::ordered_json clients_schema(TypeTable& types);

}  // namespace starbus::entity
