#include "entity/properties/field_type.hpp"

#include <nlohmann/json.hpp>

namespace starbus::entity {

// What most types of fields cannot do.

std::string FieldType::key_text(Decoder& in) const {
  (void)in;
  return {};
}

bool FieldType::encode_key(const PathStep&, Bytes&) const {
  return false;
}

StructBase* FieldType::descend(void*, Decoder&) const {
  return nullptr;
}

StructBase* FieldType::descend(void*, const PathStep*) const {
  return nullptr;
}

void FieldType::each_struct(void*, const std::function<void(StructBase&)>&) const {}

DataResult<nlohmann::json> FieldType::element_json(const void*, const PathStep&) const {
  return DataError(DataErrc::unknown_path);
}

DataResult<> FieldType::element_from_json(void*, const PathStep&, const nlohmann::json&) const {
  return DataError(DataErrc::unknown_path);
}

}  // namespace starbus::entity
