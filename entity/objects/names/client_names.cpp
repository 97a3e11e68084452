#include "entity/objects/names/client_names.hpp"

#include <algorithm>
#include <set>

#include "entity/archive/decoder.hpp"
#include "entity/archive/encoder.hpp"
#include "entity/archive/signature.hpp"
#include "entity/objects/client_classes.hpp"
#include "entity/objects/limits.hpp"
#include "entity/objects/names/client_shape.hpp"
#include "entity/properties/schema.hpp"
#include "entity/rpc/dictionary.hpp"
#include "entity/rpc/method.hpp"
#include "entity/rpc/wire.hpp"

namespace starbus::entity {
namespace {

constexpr std::uint8_t kTableForm = 0xb1;
constexpr std::uint32_t kNamesMethod = rpc::method_id("starbus", "names");
constexpr std::uint32_t kNamesTypes = rpc::hash32("([u64])->names1");
/// What a person reads of types, and of a class.
constexpr std::size_t kShownText = 255;

std::string_view cut_text(std::string_view text) {
  return text.substr(0, kShownText);
}

void add_methods(std::vector<ClientMethodName>& to) {
  for (const rpc::MethodInfo* method : rpc::Dictionary::of_process().methods()) {
    if (!permits(method->allow, rpc::From::own_client)) continue;
    to.push_back(
        {ClientSide::asks, method->full_name(), method->signature, std::string(method->text)});
  }
  for (const ClientClass& each : client_classes()) {
    for (const ClientMethodRow& row : each.methods) {
      const std::string types = client_signature_text(row.types(nullptr));
      const std::string name = std::string(each.name) + "." + std::string(row.name);
      to.push_back({ClientSide::hears, name, rpc::hash32(types), types});
    }
  }
  const auto order = [](const ClientMethodName& each) { return std::pair(each.name, each.side); };
  std::ranges::stable_sort(to, {}, order);
}

/// Behind the name of a class as other clients see it.
constexpr std::string_view kOthersMark = "@others";

bool is_seen(const FieldInfo& field, const Schema& schema, View by) {
  return (reach_of(field.flags, schema.of_entity()) & bit_of(by)) != 0;
}

/// As the schema's reader puts it together: the signature, the class within, the capacity.
std::string types_of(const FieldInfo& field, std::string_view mark) {
  std::string text = field.signature;
  if (const Schema* nested = field.type->nested()) {
    text.append(" ").append(nested->name()).append(mark);
  }
  if (field.capacity != 0) text.append(" ").append(std::to_string(field.capacity));
  return text;
}

/// A class as its own client sees it, or as others do.
ClientFieldsName fields_of(const Schema& schema, View by, TypeTable& types) {
  const std::string_view mark = by == View::other_clients ? kOthersMark : "";
  ClientFieldsName made{std::string(schema.name()).append(mark), schema.hash(), {}};
  for (const FieldInfo& field : schema.fields()) {
    if (!is_seen(field, schema, by)) continue;
    const std::string text = types_of(field, mark);
    made.fields.push_back({std::string(field.name), field.index, rpc::hash32(text), text,
                           shape_of(field.type->describe(types), types.structs(), mark)});
  }
  return made;
}

/// What others see something of, and what is below it.
void add_others(const Schema& schema, TypeTable& types, std::set<const Schema*>& added,
                std::vector<ClientFieldsName>& to) {
  if (!added.insert(&schema).second) return;
  to.push_back(fields_of(schema, View::other_clients, types));
  for (const FieldInfo& field : schema.fields()) {
    const Schema* const nested = field.type->nested();
    const bool below = nested != nullptr && is_seen(field, schema, View::other_clients);
    if (below) add_others(*nested, types, added, to);
  }
}

void add_classes(std::vector<ClientFieldsName>& to) {
  TypeTable types;
  std::set<const Schema*> added;
  for (const Schema* schema : Schema::all()) {
    to.push_back(fields_of(*schema, View::own_client, types));
    const auto seen = [&](const FieldInfo& each) {
      return is_seen(each, *schema, View::other_clients);
    };
    const bool shown = schema->of_entity() && std::ranges::any_of(schema->fields(), seen);
    if (shown) add_others(*schema, types, added, to);
  }
  std::ranges::stable_sort(to, {}, &ClientFieldsName::name);
}

void put_method(Encoder& out, const ClientMethodName& row) {
  out.byte(static_cast<std::uint8_t>(row.side));
  out.text(row.name);
  std::byte word[4];
  bus::store(word, row.fingerprint);
  out.raw(word, sizeof word);
  out.text(cut_text(row.types));
}

void put_class(Encoder& out, const ClientFieldsName& row) {
  out.text(cut_text(row.name));
  std::byte hash[8];
  bus::store(hash, row.hash);
  out.raw(hash, sizeof hash);
  out.varint(row.fields.size());
  for (const ClientFieldName& field : row.fields) {
    out.text(field.name);
    out.byte(field.index);
    std::byte word[4];
    bus::store(word, field.fingerprint);
    out.raw(word, sizeof word);
    out.text(cut_text(field.types));
    out.text(field.shape);
  }
}

bus::Bytes rows_of(const ClientTable& table) {
  bus::Bytes bytes;
  Encoder out(bytes);
  out.varint(table.methods.size());
  for (const ClientMethodName& row : table.methods) put_method(out, row);
  out.varint(table.classes.size());
  for (const ClientFieldsName& row : table.classes) put_class(out, row);
  return bytes;
}

/// The hashes that a client was built from; nullopt: not such a list.
std::optional<std::vector<std::uint64_t>> hashes_of(Decoder& in) {
  const std::uint64_t count = in.varint();
  if (count > kClientHashes) return std::nullopt;
  std::vector<std::uint64_t> hashes(in.ok() ? static_cast<std::size_t>(count) : 0);
  for (std::uint64_t& hash : hashes) hash = in.varint();
  if (in.finish() != DataErrc::ok) return std::nullopt;
  return hashes;
}

bus::Bytes failed_answer(rpc::Errc why, std::string detail) {
  bus::Bytes bytes;
  Encoder out(bytes);
  rpc::put_error(out, rpc::Error(why, std::move(detail)));
  return bytes;
}

bus::Bytes answer_of(std::uint64_t hash, const bus::Bytes* rows) {
  bus::Bytes bytes;
  Encoder out(bytes);
  rpc::put_reply_head(out, rpc::ReplyKind::value);
  out.byte(kTableForm);
  std::byte word[8];
  bus::store(word, hash);
  out.raw(word, sizeof word);
  out.byte(rows == nullptr ? 1 : 0);
  if (rows != nullptr) out.raw(rows->data(), rows->size());
  return bytes;
}

/// What there is to say of a table.
struct Said {
  explicit Said(const ClientTable& table)
      : hash(table.hash), rows(rows_of(table)), same(answer_of(hash, nullptr)) {
    const bool fits = rows.size() <= kClientTable;
    other = fits ? answer_of(hash, &rows)
                 : failed_answer(rpc::Errc::too_large, "the table of names exceeds kClientTable");
  }
  std::uint64_t hash;
  bus::Bytes rows;
  bus::Bytes same;
  bus::Bytes other;
};

/// nullopt: it does not ask for names.
std::optional<bus::Bytes> answer_with(bus::ByteView request, const Said& said) {
  Decoder in(request);
  rpc::CallHeader header;
  if (rpc::get_header(in, header) != rpc::Errc::ok) return std::nullopt;
  if (header.method != kNamesMethod) return std::nullopt;
  if (header.signature != kNamesTypes) {
    return failed_answer(rpc::Errc::signature_mismatch, "starbus.names is ([u64])->names1 here");
  }
  const auto hashes = hashes_of(in);
  if (!hashes)
    return failed_answer(rpc::Errc::bad_arguments, "starbus.names takes a list of hashes");
  return std::ranges::find(*hashes, said.hash) != hashes->end() ? said.same : said.other;
}

}  // namespace

const ClientTable& client_table() {
  static const ClientTable table = [] {
    ClientTable made;
    add_methods(made.methods);
    add_classes(made.classes);
    made.hash = hash_of(bus::as_text(rows_of(made)));
    return made;
  }();
  return table;
}

std::optional<bus::Bytes> answer_names(bus::ByteView request) {
  static const Said said(client_table());
  return answer_with(request, said);
}

std::optional<bus::Bytes> answer_names(bus::ByteView request, const ClientTable& table) {
  return answer_with(request, Said(table));
}

}  // namespace starbus::entity
