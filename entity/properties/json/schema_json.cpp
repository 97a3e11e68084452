#include "entity/properties/json/schema_json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/hex.hpp"
#include "entity/properties/root.hpp"
#include "entity/properties/schema.hpp"

namespace starbus::entity {
namespace {

using PropertiesJson = nlohmann::ordered_json;

std::vector<const Schema& (*)()>& enlisted_schemas() {
  static std::vector<const Schema& (*)()> schemas;
  return schemas;
}

void collect(const Schema& schema, std::set<const Schema*>& all) {
  if (!all.insert(&schema).second) return;
  for (const FieldInfo& field : schema.fields()) {
    if (const Schema* nested = field.type->nested()) collect(*nested, all);
  }
}

PropertiesJson flag_names(Flags flags) {
  PropertiesJson names = PropertiesJson::array();
  const std::string text = to_string(flags);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('|', at), text.size());
    names.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return names;
}

PropertiesJson field_row(const FieldInfo& field, TypeTable& types) {
  PropertiesJson row = {{"name", field.name},
                        {"index", field.index},
                        {"flags", flag_names(field.flags)},
                        {"signature", field.signature},
                        {"type", PropertiesJson::parse(field.type->describe(types))}};
  if (field.capacity != 0) row["capacity"] = field.capacity;
  return row;
}

}  // namespace

bool Schema::enlist(const Schema& (*of)()) {
  std::vector<const Schema& (*)()>& all = enlisted_schemas();
  if (std::ranges::find(all, of) == all.end()) all.push_back(of);
  return true;
}

std::vector<const Schema*> Schema::all() {
  std::set<const Schema*> found;
  for (const auto of : enlisted_schemas()) collect(of(), found);
  std::vector<const Schema*> all(found.begin(), found.end());
  const auto order = [](const Schema* schema) {
    return std::pair(schema->name(), schema->hash());  // two unnamed namespaces
  };
  std::ranges::sort(all, {}, order);
  return all;
}

std::string describe_fields(const Schema& schema) {
  return "{\"properties\":" + json_text(schema.name()) + "}";
}

PropertiesJson properties_schema(TypeTable& types) {
  PropertiesJson rows = PropertiesJson::array();
  for (const Schema* schema : Schema::all()) {
    PropertiesJson fields = PropertiesJson::array();
    for (const FieldInfo& field : schema->fields()) fields.push_back(field_row(field, types));
    rows.push_back({{"name", schema->name()},
                    {"of_entity", schema->of_entity()},
                    {"hash", hex_of(schema->hash())},
                    {"saved_hash", hex_of(schema->saved_hash())},
                    {"fields", std::move(fields)}});
  }
  return rows;
}

}  // namespace starbus::entity
