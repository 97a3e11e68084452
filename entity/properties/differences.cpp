#include "entity/properties/differences.hpp"

#include "entity/properties/path.hpp"
#include "entity/properties/schema.hpp"

namespace starbus::entity {

void Differences::fields(const Schema& schema, const StructBase& before, const StructBase& now) {
  for (const FieldInfo& field : schema.fields()) {
    address_.push_back(static_cast<std::byte>(field.index));
    field.type->differ(field.of(before), field.of(now), *this);
    address_.pop_back();
  }
}

void Differences::item(ByteView key, const Schema& schema, const StructBase& before,
                       const StructBase& now) {
  const std::size_t end = address_.size();
  address_.insert(address_.end(), key.begin(), key.end());
  fields(schema, before, now);
  address_.resize(end);
}

std::vector<Change> Differences::take(const Schema& schema) && {
  for (Change& change : changes_) change.path = path_text(schema, change.address);
  return std::move(changes_);
}

}  // namespace starbus::entity
