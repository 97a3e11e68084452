#include "entity/properties/json/json_seam.hpp"

#include <limits>
#include <nlohmann/json.hpp>

namespace starbus::entity {

void JsonWriter::boolean(bool value) {
  *to_ = value;
}
void JsonWriter::integer(std::int64_t value) {
  *to_ = value;
}
void JsonWriter::integer(std::uint64_t value) {
  *to_ = value;
}
void JsonWriter::real(double value) {
  *to_ = value;
}
void JsonWriter::text(std::string_view value) {
  *to_ = value;
}
void JsonWriter::array() {
  *to_ = nlohmann::json::array();
}
JsonWriter JsonWriter::element() {
  return JsonWriter(to_->emplace_back());
}
void JsonWriter::object() {
  *to_ = nlohmann::json::object();
}
JsonWriter JsonWriter::member(std::string_view name) {
  return JsonWriter((*to_)[std::string(name)]);
}

bool JsonReader::is_null() const {
  return from_->is_null();
}
bool JsonReader::is_array() const {
  return from_->is_array();
}
bool JsonReader::is_object() const {
  return from_->is_object();
}

bool JsonReader::read(bool& value) const {
  if (!from_->is_boolean()) return false;
  value = from_->get<bool>();
  return true;
}

bool JsonReader::read(std::int64_t& value) const {
  if (!from_->is_number_integer()) return false;
  if (from_->is_number_unsigned() &&
      from_->get<std::uint64_t>() >
          static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    return false;
  }
  value = from_->get<std::int64_t>();
  return true;
}

bool JsonReader::read(std::uint64_t& value) const {
  if (!from_->is_number_integer()) return false;
  if (!from_->is_number_unsigned() && from_->get<std::int64_t>() < 0) return false;
  value = from_->get<std::uint64_t>();
  return true;
}

bool JsonReader::read(double& value) const {
  if (!from_->is_number()) return false;
  value = from_->get<double>();
  return true;
}

bool JsonReader::read(std::string& value) const {
  if (!from_->is_string()) return false;
  value = from_->get<std::string>();
  return true;
}

std::size_t JsonReader::size() const {
  return from_->is_structured() ? from_->size() : 0;
}

JsonReader JsonReader::element(std::size_t place) const {
  return JsonReader(from_->at(place));
}

std::optional<JsonReader> JsonReader::member(std::string_view name) const {
  if (!from_->is_object()) return std::nullopt;
  const auto found = from_->find(std::string(name));
  if (found == from_->end()) return std::nullopt;
  return JsonReader(*found);
}

bool JsonReader::each_member(
    const std::function<bool(const std::string& name, const JsonReader& value)>& visit) const {
  if (!from_->is_object()) return true;
  for (const auto& [name, value] : from_->items()) {
    if (!visit(name, JsonReader(value))) return false;
  }
  return true;
}

}  // namespace starbus::entity
