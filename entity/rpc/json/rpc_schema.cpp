#include "entity/rpc/json/rpc_schema.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/hex.hpp"
#include "entity/rpc/dictionary.hpp"

namespace starbus::entity::rpc {

std::string json_members(const MethodTypes& types) {
  std::string text = "\"arguments\":[";
  for (std::size_t i = 0; i < types.arguments.size(); ++i) {
    if (i != 0) text += ',';
    text += types.arguments[i];
  }
  text.append("],\"answer\":").append(types.answer.empty() ? "null" : types.answer);
  if (!types.refusal.empty()) text.append(",\"refusal\":").append(types.refusal);
  return text;
}

namespace {

using SchemaJson = nlohmann::ordered_json;

/// Who may call, the server first.
SchemaJson callers(Permission allow) {
  SchemaJson all = SchemaJson::array();
  for (const From from : {From::server, From::own_client, From::any_client, From::gate}) {
    if (permits(allow, from)) all.push_back(name_of(from));
  }
  return all;
}

SchemaJson method_row(const MethodInfo& method, TypeTable& types) {
  SchemaJson row = {{"name", method.name},
                    {"id", hex_of(method.id)},
                    {"signature", hex_of(method.signature)},
                    {"callers", callers(method.allow)}};
  row.update(SchemaJson::parse("{" + method.describe(&types) + "}"));
  return row;
}

}  // namespace

SchemaJson rpc_schema(TypeTable& types) {
  const Dictionary& dictionary = Dictionary::of_process();
  SchemaJson classes = SchemaJson::array();
  for (const ClassInfo* info : Dictionary::classes()) {
    SchemaJson methods = SchemaJson::array();
    std::vector<const MethodInfo*> rows(info->methods.begin(), info->methods.end());
    std::ranges::sort(rows, {}, &MethodInfo::name);
    for (const MethodInfo* method : rows) methods.push_back(method_row(*method, types));
    SchemaJson row = {{"name", info->name}, {"type", info->type_name()}};
    if (info->parent != nullptr) row["base"] = info->parent->name;
    row["methods"] = std::move(methods);
    classes.push_back(std::move(row));
  }
  return {{"hash", hex_of(dictionary.hash())}, {"classes", std::move(classes)}};
}

}  // namespace starbus::entity::rpc
