#include "entity/objects/entity_schema.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace starbus::entity {
namespace {

using DescribeEntity = EntityDeclaration (*)();

std::vector<DescribeEntity>& enlisted_entities() {
  static std::vector<DescribeEntity> entities;
  return entities;
}

}  // namespace

bool enlist_entity(DescribeEntity describe) {
  std::vector<DescribeEntity>& all = enlisted_entities();
  if (std::ranges::find(all, describe) == all.end()) all.push_back(describe);
  return true;
}

nlohmann::ordered_json entities_schema() {
  std::vector<EntityDeclaration> all;
  for (const DescribeEntity describe : enlisted_entities()) all.push_back(describe());
  std::ranges::sort(all, {}, [](const auto& each) { return std::pair(each.type, each.cpp); });
  auto rows = nlohmann::ordered_json::array();
  for (const EntityDeclaration& entity : all) {
    nlohmann::ordered_json row = {{"name", entity.type}, {"type", entity.cpp}};
    if (!entity.parent.empty()) row["base"] = entity.parent;
    row["rpc"] = entity.rpc;
    if (!entity.properties.empty()) row["properties"] = entity.properties;
    auto components = nlohmann::ordered_json::array();
    for (const EntityDeclaration::Part& part : entity.components) {
      nlohmann::ordered_json component = {{"name", part.name}};
      if (!part.rpc.empty()) component["rpc"] = part.rpc;
      components.push_back(std::move(component));
    }
    row["components"] = std::move(components);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace starbus::entity
