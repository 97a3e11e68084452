#include "nodes/hosting/searchable.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "entity/properties/path.hpp"

namespace starbus::nodes::entities {
namespace {

bool is_saved(const entity::Schema& schema, const std::vector<entity::PathStep>& steps) {
  const entity::Schema* at = &schema;
  for (const entity::PathStep& step : steps) {
    if (at == nullptr || step.kind != entity::PathStep::name) return false;
    const entity::FieldInfo* const field = at->find(step.word);
    if (field == nullptr || (field->reach & bit_of(entity::View::save)) == 0) return false;
    at = field->type->nested();
  }
  return true;
}

std::optional<nlohmann::json> value_at(const entity::Root& properties, const std::string& path) {
  const auto steps = entity::parse_path(path);
  if (!steps || !is_saved(properties.schema(), *steps)) return std::nullopt;
  auto value = properties.get(path);
  if (!value) return std::nullopt;
  return std::make_optional<nlohmann::json>(*std::move(value));
}

}  // namespace

std::string not_searchable(const entity::Root& properties, const std::vector<std::string>& paths) {
  const auto found = std::ranges::find_if(
      paths, [&](const std::string& path) { return !value_at(properties, path); });
  return found == paths.end() ? std::string() : *found;
}

std::vector<SavedValue> searchable_values(const entity::Root& properties,
                                          const std::vector<std::string>& paths) {
  std::vector<SavedValue> all;
  for (const std::string& path : paths) {
    if (auto value = value_at(properties, path)) all.push_back({path, *std::move(value)});
  }
  return all;
}

}  // namespace starbus::nodes::entities
