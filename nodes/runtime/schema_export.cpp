#include "nodes/runtime/schema_export.hpp"

#include <nlohmann/json.hpp>

#include "base/hex.hpp"
#include "entity/archive/signature.hpp"
#include "entity/objects/entity_schema.hpp"
#include "entity/objects/names/client_names.hpp"
#include "entity/objects/names/client_schema.hpp"
#include "entity/properties/json/schema_json.hpp"
#include "entity/rpc/json/rpc_schema.hpp"

namespace starbus::nodes {

std::string schema_text(const std::string& program, const std::string& version) {
  entity::TypeTable types;
  nlohmann::ordered_json declared;
  declared["rpc"] = entity::rpc::rpc_schema(types);
  declared["entities"] = entity::entities_schema();
  declared["properties"] = entity::properties_schema(types);
  declared["clients"] = entity::clients_schema(types);
  auto structs = nlohmann::ordered_json::object();
  for (const auto& [name, fields] : types.structs()) {
    structs[name] = nlohmann::ordered_json::parse(fields);
  }
  declared["structs"] = std::move(structs);
  nlohmann::ordered_json schema = {{"form", 1},
                                   {"program", program},
                                   {"version", version},
                                   {"hash", hex_of(entity::hash_of(declared.dump()))},
                                   {"client_hash", hex_of(entity::client_table().hash)}};
  schema.update(declared);
  return schema.dump(2) + "\n";
}

}  // namespace starbus::nodes
