/// The classes of this program that can be called, as JSON: docs/reference/schema.md. For tools;
/// any thread.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "entity/archive/type_table.hpp"

namespace starbus::entity::rpc {

/// By name; what their types consist of goes to the table. Throws std::logic_error as
/// Dictionary::of_process().
nlohmann::ordered_json rpc_schema(TypeTable& types);

}  // namespace starbus::entity::rpc
