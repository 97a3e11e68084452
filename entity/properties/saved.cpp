#include "entity/properties/saved.hpp"

#include <algorithm>

#include "entity/properties/root.hpp"
#include "entity/properties/wire.hpp"

namespace starbus::entity {
namespace {

struct SavedField {
  std::string_view name;
  std::uint64_t signature = 0;
  ByteView value;
};

std::vector<SavedField> read_fields(Decoder& in) {
  std::vector<SavedField> fields;
  for (std::size_t left = in.count(); left > 0; --left) {
    SavedField& field = fields.emplace_back();
    field.name = in.text();
    const ByteView signature = in.take(sizeof field.signature);
    if (in.ok()) field.signature = bus::load<std::uint64_t>(signature.data());
    field.value = bus::as_bytes(in.text());
    if (!in.ok()) return {};
  }
  return fields;
}

bool saved(const std::vector<SavedField>& fields, std::string_view name) {
  return std::any_of(fields.begin(), fields.end(),
                     [&](const SavedField& field) { return field.name == name; });
}

// The field that a saved one has become; nullptr if none.
const FieldInfo* present(const Schema& schema, const std::vector<SavedField>& all,
                         const SavedField& saved_field, View view) {
  const FieldInfo* field = schema.find(saved_field.name);
  if (field == nullptr) {
    const std::string* now = schema.evolution().name_of(std::string(saved_field.name));
    if (now != nullptr && !saved(all, *now)) field = schema.find(*now);
  }
  return field != nullptr && (field->reach & bit_of(view)) != 0 ? field : nullptr;
}

// The conversion is the user's, and may throw.
DataErrc run(const Evolution::Conversion& conversion, Decoder& value, Bytes& converted,
             DataError& error) {
  try {
    return conversion.run(value, converted);
  } catch (const std::exception& failure) {
    error = DataError(DataErrc::refused, conversion.field + ": " + failure.what());
  } catch (...) {
    error = DataError(DataErrc::refused, conversion.field);
  }
  return DataErrc::refused;
}

void load_field(const Schema& schema, const FieldInfo& field, StructBase& to,
                const SavedField& from, Decoder& in, Loading& loading) {
  const std::string path = loading.path + field.name;
  Decoder value(from.value);
  if (from.signature == hash_of(field.signature)) {
    loading.path = path;
    field.type->load(field.of(to), value, loading);
  } else {
    const Evolution::Conversion* convert = schema.evolution().find(field.name, from.signature);
    if (convert == nullptr) {
      loading.error = DataError(DataErrc::type_changed, path);
      return in.fail(DataErrc::type_changed);
    }
    Bytes converted;
    const DataErrc error = run(*convert, value, converted, loading.error);
    if (error != DataErrc::ok) return in.fail(error);
    Decoder now(converted);
    field.type->load(field.of(to), now, loading);
    if (now.finish() != DataErrc::ok) return in.fail(now.error());
    loading.report.converted.push_back(path);
    value = Decoder(ByteView{});
  }
  if (value.finish() != DataErrc::ok) in.fail(value.error());
}

}  // namespace

void save_fields(const Schema& schema, const StructBase& from, View view, Encoder& out) {
  std::size_t count = 0;
  for (const FieldInfo& field : schema.fields()) count += (field.reach & bit_of(view)) != 0 ? 1 : 0;
  out.varint(count);
  for (const FieldInfo& field : schema.fields()) {
    if ((field.reach & bit_of(view)) == 0) continue;
    out.text(field.name);
    std::byte signature[sizeof(std::uint64_t)];
    bus::store(signature, hash_of(field.signature));
    out.raw(signature, sizeof signature);
    put_sized(out, [&](Encoder& value) { field.type->save(field.of(from), view, value); });
  }
}

void load_fields(const Schema& schema, StructBase& to, Decoder& in, Loading& loading) {
  const std::string path = loading.path;
  const std::vector<SavedField> all = read_fields(in);
  std::vector<bool> loaded(schema.fields().size());
  for (const SavedField& from : all) {
    if (!in.ok()) return;
    const FieldInfo* field = present(schema, all, from, loading.view);
    loading.path = path;
    if (field == nullptr) {
      loading.report.removed.push_back({path + std::string(from.name), from.signature,
                                        Bytes(from.value.begin(), from.value.end())});
      continue;
    }
    if (loaded[field->index - 1U]) return in.fail(DataErrc::malformed);
    loaded[field->index - 1U] = true;
    load_field(schema, *field, to, from, in, loading);
  }
  for (const FieldInfo& field : schema.fields()) {
    if (!in.ok()) return;
    if (loaded[field.index - 1U] || (field.reach & bit_of(loading.view)) == 0) continue;
    field.type->restore(field.of(to), field.of(schema.prototype()), loading.undo);
    loading.report.added.push_back(path + field.name);
  }
  loading.path = path;
}

DataResult<> Root::encode_saved(View view, Bytes& out) const {
  if (view != View::save && view != View::migration) return DataError(DataErrc::wrong_audience);
  Encoder encoder(out, kMaxState);
  encoder.byte(kSavedForm);
  encoder.byte(static_cast<std::uint8_t>(view));
  save_fields(schema(), *this, view, encoder);
  if (const DataErrc error = encoder.error(); error != DataErrc::ok) {
    encoder.rewind(0);
    return DataError(error);
  }
  return {};
}

DataResult<LoadReport> Root::load_saved(ByteView bytes) {
  if (const DataErrc why = refusal(attention_); why != DataErrc::ok) return DataError(why);
  Decoder in(bytes, {.bytes = kMaxState});
  if (in.byte() != kSavedForm) in.fail(DataErrc::malformed);
  const auto view = static_cast<View>(in.byte());
  if (view != View::save && view != View::migration) in.fail(DataErrc::malformed);
  Transaction undo;
  Loading loading(view, undo);
  if (in.ok()) load_fields(schema(), *this, in, loading);
  if (in.finish() != DataErrc::ok) {
    return loading.error.code == DataErrc::ok ? DataError(in.error()) : loading.error;
  }
  undo.commit();
  if (journal_ != nullptr) journal_->restart();
  if (watchers() != 0) tell_listener();
  note_unsaved();
  return std::move(loading.report);
}

}  // namespace starbus::entity
