#include "entity/properties/json/inspect.hpp"

#include "entity/properties/path.hpp"

namespace starbus::entity {

void show_fields(const Schema& schema, const StructBase& from, JsonWriter out) {
  out.object();
  for (const FieldInfo& field : schema.fields()) {
    field.type->show(field.of(from), out.member(field.name));
  }
}

namespace {

DataResult<> set_each_field(const Schema& schema, StructBase& to, const JsonReader& in) {
  if (!in.is_object()) return DataError(DataErrc::bad_json);
  DataResult<> done;
  in.each_member([&](const std::string& name, const JsonReader& value) {
    const FieldInfo* field = schema.find(name);
    done = field == nullptr ? DataResult<>(DataError(DataErrc::unknown_path, name))
                            : field->type->set_from(field->of(to), value);
    return done.has_value();
  });
  return done;
}

}  // namespace

// Tried on another object first: an invalid member must not leave the members before it changed.
DataResult<> set_fields_from(const Schema& schema, StructBase& to, const JsonReader& in) {
  if (const DataErrc why = Root::refusal(to.top()->attention()); why != DataErrc::ok) {
    return DataError(why);
  }
  if (const DataResult<> tried = set_each_field(schema, *schema.fresh(), in); !tried) return tried;
  return set_each_field(schema, to, in);
}

/// The target of a path: a field, or, with `element`, one of its elements.
struct Root::Target {
  StructBase* owner;
  const FieldInfo* field;
  const PathStep* element;
  std::vector<PathStep> steps;

  void* address() const { return field->of(*owner); }
};

DataResult<Root::Target> Root::resolve(std::string_view path) {
  auto steps = parse_path(path);
  if (!steps) return steps.error();
  const DataError unknown(DataErrc::unknown_path, std::string(path.substr(0, 256)));
  Target target{this, nullptr, nullptr, std::move(*steps)};
  const Schema* at = &schema();
  for (std::size_t i = 0; i < target.steps.size(); ++i) {
    const PathStep& step = target.steps[i];
    if (step.kind != PathStep::name || at == nullptr) return unknown;
    target.field = at->find(step.word);
    if (target.field == nullptr) return unknown;
    if (i + 1 == target.steps.size()) break;
    const PathStep& next = target.steps[i + 1];
    const bool keyed = next.kind != PathStep::name;
    if (keyed && i + 2 == target.steps.size()) {
      target.element = &target.steps[i + 1];
      break;
    }
    target.owner = target.field->type->descend(target.address(), keyed ? &next : nullptr);
    if (target.owner == nullptr) return unknown;
    at = target.field->type->nested();
    if (keyed) ++i;
  }
  return target;
}

nlohmann::json Root::to_json() const {
  nlohmann::json all;
  show_fields(schema(), *this, JsonWriter(all));
  return all;
}

DataResult<nlohmann::json> Root::get(std::string_view path) const {
  const auto target = const_cast<Root*>(this)->resolve(path);
  if (!target) return target.error();
  const FieldType& type = *target->field->type;
  nlohmann::json shown;
  if (target->element == nullptr) {
    type.show(target->address(), JsonWriter(shown));
  } else if (const auto done =
                 type.show_element(target->address(), *target->element, JsonWriter(shown));
             !done) {
    return done.error();
  }
  // In place: JSON converts to almost everything, also to a result.
  return DataResult<nlohmann::json>(in_place_value, std::move(shown));
}

DataResult<> Root::set(std::string_view path, const nlohmann::json& value) {
  const auto target = resolve(path);
  if (!target) return target.error();
  const FieldType& type = *target->field->type;
  const JsonReader in(value);
  if (target->element == nullptr) return type.set_from(target->address(), in);
  return type.set_element_from(target->address(), *target->element, in);
}

DataResult<ObserverId> Root::observe(std::string_view path, Observer observer) {
  const auto target = resolve(path);
  if (!target) return target.error();
  const Address address(*target->owner, target->field->index, target->field->flags);
  Bytes bytes(address.bytes().begin(), address.bytes().end());
  if (target->element != nullptr && !target->field->type->encode_key(*target->element, bytes)) {
    return DataError(DataErrc::unknown_path, std::string(path.substr(0, 256)));
  }
  return add_observer(bytes, std::move(observer));
}

DataResult<ObserverId> Root::add_observer(ByteView address, Observer observer) {
  (void)schema();
  if (observers_ == nullptr) observers_ = std::make_unique<Observers>();
  const ObserverId id = observers_->add(address, std::move(observer));
  if (id == 0) return DataError(DataErrc::too_large);
  attention_ = static_cast<std::uint8_t>(attention_ | kObservedBit);
  return id;
}

DataResult<> Root::reset(Lifetime lifetime) {
  if (const DataErrc why = refusal(attention_); why != DataErrc::ok) return DataError(why);
  return result_of(reset_fields(schema(), *this, kWholeReach, lifetime));
}

DataErrc reset_fields(const Schema& schema, StructBase& of, Reach reach, Lifetime lifetime) {
  for (const FieldInfo& field : schema.fields()) {
    const Reach here = static_cast<Reach>(reach & field.reach);
    DataErrc error = DataErrc::ok;
    if (ends_with(field.flags, here, lifetime)) {
      error = field.type->assign(field.of(of), field.of(schema.prototype()));
    } else {
      field.type->each_struct(field.of(of), [&](StructBase& nested) {
        if (error == DataErrc::ok) {
          error = reset_fields(*field.type->nested(), nested, here, lifetime);
        }
      });
    }
    if (error != DataErrc::ok) return error;
  }
  return DataErrc::ok;
}

}  // namespace starbus::entity
