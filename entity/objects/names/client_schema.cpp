#include "entity/objects/names/client_schema.hpp"

#include <nlohmann/json.hpp>

#include "base/hex.hpp"
#include "entity/objects/client_classes.hpp"
#include "entity/rpc/method.hpp"

namespace starbus::entity {

nlohmann::ordered_json clients_schema(TypeTable& types) {
  auto rows = nlohmann::ordered_json::array();
  for (const ClientClass& each : client_classes()) {
    auto methods = nlohmann::ordered_json::array();
    for (const ClientMethodRow& method : each.methods) {
      auto arguments = nlohmann::ordered_json::array();
      for (const std::string& type : method.types(&types)) {
        arguments.push_back(nlohmann::ordered_json::parse(type));
      }
      const std::uint32_t signature = rpc::hash32(client_signature_text(method.types(nullptr)));
      methods.push_back({{"name", method.name},
                         {"id", hex_of(rpc::method_id(each.name, method.name))},
                         {"signature", hex_of(signature)},
                         {"arguments", std::move(arguments)}});
    }
    rows.push_back({{"name", each.name}, {"type", each.type}, {"methods", std::move(methods)}});
  }
  return rows;
}

}  // namespace starbus::entity
