#include "tools/bustop/node_answers.hpp"

namespace starbus::bustop {
namespace {

using nlohmann::json;

/// The value under a key if it is of this type, else `none`.
const json& value_at(const json& from, const char* key, json::value_t type, const json& none) {
  const auto found = from.is_object() ? from.find(key) : from.end();
  return from.is_object() && found != from.end() && found->type() == type ? *found : none;
}

}  // namespace

std::string text_at(const json& from, const char* key) {
  if (!from.is_object()) return {};
  const auto found = from.find(key);
  return found != from.end() && found->is_string() ? found->get<std::string>() : std::string();
}
std::uint64_t number_at(const json& from, const char* key) {
  if (!from.is_object()) return 0;
  const auto found = from.find(key);
  if (found == from.end() || !found->is_number_integer()) return 0;
  return found->is_number_unsigned() || found->get<std::int64_t>() >= 0
             ? found->get<std::uint64_t>()
             : 0;
}
bool flag_at(const json& from, const char* key) {
  if (!from.is_object()) return false;
  const auto found = from.find(key);
  return found != from.end() && found->is_boolean() && found->get<bool>();
}

const json& rows_at(const json& from, const char* key) {
  static const json kNone = json::array();
  return value_at(from, key, json::value_t::array, kNone);
}
const json& object_at(const json& from, const char* key) {
  static const json kNone = json::object();
  return value_at(from, key, json::value_t::object, kNone);
}

std::string node_note(const std::string& process, const bus::Error& error) {
  return process + ": " + error.to_string();
}

}  // namespace starbus::bustop
