#include "entity/properties/field_type.hpp"

#include "entity/archive/type_table.hpp"

namespace starbus::entity {

// Defaults: most types of fields do not support these.

std::string FieldType::describe(TypeTable&) const {
  return "{\"opaque\":" + json_text(signature()) + "}";
}

std::string FieldType::key_text(Decoder& in) const {
  (void)in;
  return {};
}

bool FieldType::encode_key(const PathStep&, Bytes&) const {
  return false;
}

bool FieldType::encode_element(const void*, PartKind, Decoder&, View, Encoder&) const {
  return false;
}

std::size_t FieldType::apply_element(void*, PartKind, View, Decoder& in, Transaction&) const {
  in.fail(DataErrc::malformed);
  return 0;
}

StructBase* FieldType::descend(void*, Decoder&) const {
  return nullptr;
}

StructBase* FieldType::descend(void*, const PathStep*) const {
  return nullptr;
}

void FieldType::each_struct(void*, const std::function<void(StructBase&)>&) const {}

DataResult<> FieldType::show_element(const void*, const PathStep&, JsonWriter) const {
  return DataError(DataErrc::unknown_path);
}

DataResult<> FieldType::set_element_from(void*, const PathStep&, const JsonReader&) const {
  return DataError(DataErrc::unknown_path);
}

}  // namespace starbus::entity
