#include "entity/properties/schema.hpp"

#include <algorithm>
#include <boost/core/demangle.hpp>
#include <map>

namespace starbus::entity {

/// Listens to the constructors of one prototype. A struct that the constructor makes on the way (a
/// member's, a default's) is not the one that is described, and is ignored.
class Describer {
 public:
  explicit Describer(Schema& schema) : schema_(schema), outer_(StructBase::describer) {
    StructBase::describer = this;
  }
  Describer(const Describer&) = delete;
  Describer& operator=(const Describer&) = delete;
  ~Describer() { StructBase::describer = outer_; }

  void begin(const StructBase* base) {
    if (base_ == nullptr) base_ = base;
  }
  void add(const StructBase* owner, const FieldType& type, std::size_t distance,
           std::string_view name) {
    if (owner != base_) return;
    if (distance > Place::kMaxDistance) {
      throw std::logic_error(schema_.name_ + " is larger than 16 MiB");
    }
    FieldInfo info;
    info.name = name;
    info.index = static_cast<std::uint8_t>(schema_.fields_.size() + 1);
    info.distance = distance;
    info.type = &type;
    info.flags = type.flags();
    info.signature = type.signature();
    schema_.fields_.push_back(std::move(info));
  }
  /// The next one of those that a class of its line declares in one text.
  void add(const StructBase* owner, const FieldType& type, std::size_t distance, FieldText text) {
    if (owner != base_) return;
    const std::string_view name = declared_field(text.text, declared_[text.text.data()]++);
    if (name.empty()) {
      throw std::logic_error(schema_.name_ +
                             ": a field with {*this} stands outside of STARBUS_FIELDS, or is not "
                             "of the form name{*this}");
    }
    add(owner, type, distance, name);
  }

 private:
  Schema& schema_;
  Describer* outer_;
  const StructBase* base_ = nullptr;
  std::map<const char*, std::size_t> declared_;  // fields so far, of each text
};

void StructBase::describe_begin() {
  describer->begin(this);
}

void StructBase::describe(const FieldType& type, std::size_t distance, std::string_view name) {
  describer->add(this, type, distance, name);
}

void StructBase::describe(const FieldType& type, std::size_t distance, FieldText declared_in) {
  describer->add(this, type, distance, declared_in);
}

Schema Schema::build(const std::type_info& type, bool entity, Make make,
                     void (*evolve)(Evolution&)) {
  Schema schema;
  schema.name_ = boost::core::demangle(type.name());
  schema.make_ = make;
  schema.of_entity_ = entity;
  {
    const Describer describer(schema);
    Prototype prototype = make();
    schema.object_ = std::move(prototype.object);
    schema.prototype_ = prototype.base;
  }
  evolve(schema.evolution_);
  for (FieldInfo& field : schema.fields_) {
    field.reach = reach_of(field.flags, entity);
    // Not before the whole prototype is there: a field is described before its members are.
    field.capacity = field.type->capacity(field.of(*schema.prototype_));
  }
  schema.check();
  schema.finish();
  return schema;
}

const FieldInfo* Schema::find(std::string_view name) const {
  const auto found = std::find_if(fields_.begin(), fields_.end(),
                                  [&](const FieldInfo& field) { return field.name == name; });
  return found == fields_.end() ? nullptr : &*found;
}

void Schema::check() const {
  const auto refuse = [this](const std::string& what) {
    throw std::logic_error(name_ + ": " + what);
  };
  if (fields_.size() > kMaxMembers) {
    refuse("has " + std::to_string(fields_.size()) + " fields, more than kMaxMembers");
  }
  for (const FieldInfo& field : fields_) {
    if (field.name.empty() || field.name.size() > kMaxFieldName ||
        field.name.find_first_of(".[]\"") != std::string::npos) {
      refuse("'" + field.name + "' is not a valid name of a field");
    }
    if (find(field.name) != &field) refuse("two fields have the name " + field.name);
    const std::size_t below = field.type->nested() == nullptr ? 0 : field.type->nested()->levels();
    if (below + 1 > kMaxLevels) refuse(field.name + " is nested deeper than kMaxLevels");
  }
  for (const auto& [old, now] : evolution_.names()) {
    if (find(now) == nullptr) refuse("renames " + old + " to " + now + ", which it does not have");
    if (find(old) != nullptr) refuse("renames " + old + ", which it still has");
  }
  for (const Evolution::Conversion& conversion : evolution_.conversions()) {
    const FieldInfo* field = find(conversion.field);
    if (field == nullptr || hash_of(field->signature) != conversion.signature) {
      refuse("converts to " + conversion.field + ", which is not of that type");
    }
  }
}

void Schema::finish() {
  hash_ = hash_of("schema 1");
  for (const FieldInfo& field : fields_) {
    const Schema* nested = field.type->nested();
    levels_ = std::max(levels_, 1 + (nested == nullptr ? 0 : nested->levels()));
    const std::string text =
        field.name + "\n" + field.signature + "\n" + to_string(field.flags) + "\n";
    saved_hash_ += hash_of(text + std::to_string(nested == nullptr ? 0 : nested->saved_hash()));
    const std::uint64_t below = nested == nullptr ? 0 : nested->hash();
    hash_ =
        hash_of(text + std::to_string(field.capacity) + "\n" + std::to_string(below) + "\n", hash_);
  }
  std::array<std::string, kAudiences> sights;
  for (std::size_t i = 0; i < kAudiences; ++i) {
    sights[i] = sight(static_cast<Audience>(i));
    const auto first = std::find(sights.begin(), sights.begin() + i, sights[i]);
    same_sight_[i] = static_cast<Audience>(first - sights.begin());
  }
}

// A letter per field, followed by those of nested fields in brackets.
std::string Schema::sight(Audience audience) const {
  std::string text;
  for (const FieldInfo& field : fields_) {
    const bool seen = (field.reach & bit_of(audience)) != 0;
    text += seen ? '1' : '0';
    if (seen && field.type->nested() != nullptr) {
      text += "(" + field.type->nested()->sight(audience) + ")";
    }
  }
  return text;
}

void encode_fields(const Schema& schema, const StructBase& from, View view, Encoder& out) {
  for (const FieldInfo& field : schema.fields()) {
    if ((field.reach & bit_of(view)) == 0) continue;
    out.byte(field.index);
    field.type->encode(field.of(from), view, out);
  }
  out.byte(0);
}

void replace_fields(const Schema& schema, StructBase& to, View view, Decoder& in,
                    Transaction& undo) {
  for (const FieldInfo& field : schema.fields()) {
    if ((field.reach & bit_of(view)) == 0) continue;
    if (in.byte() != field.index) in.fail(DataErrc::malformed);
    if (!in.ok()) return;
    field.type->replace(field.of(to), view, in, undo);
  }
  if (in.ok() && in.byte() != 0) in.fail(DataErrc::malformed);
}

DataErrc assign_fields(const Schema& schema, StructBase& to, const StructBase& from) {
  for (const FieldInfo& field : schema.fields()) {
    const DataErrc error = field.type->assign(field.of(to), field.of(from));
    if (error != DataErrc::ok) return error;
  }
  return DataErrc::ok;
}

void restore_fields(const Schema& schema, StructBase& to, const StructBase& from,
                    Transaction& undo) {
  for (const FieldInfo& field : schema.fields()) {
    field.type->restore(field.of(to), field.of(from), undo);
  }
}

}  // namespace starbus::entity
