#include "nodes/db/rows.hpp"

#include "bus/core/bytes.hpp"
#include "nodes/db/index_key.hpp"
#include "nodes/db/key_bytes.hpp"
#include "nodes/db/limits.hpp"
#include "nodes/db/names.hpp"

namespace starbus::nodes::db {
namespace {

std::string scoped(char kind, std::string_view collection, std::string_view rest) {
  std::string key(1, kind);
  key += static_cast<char>(collection.size());
  key += collection;
  return key += rest;
}

std::string text(const bus::Bytes& bytes) {
  return std::string(bus::as_text(bytes));
}

}  // namespace

std::string count_key(std::string_view collection) {
  return "C" + std::string(collection);
}
std::string index_key(std::string_view collection, std::string_view name) {
  return scoped('I', collection, name);
}
std::string document_prefix(std::string_view collection) {
  return scoped('D', collection, {});
}
std::string document_key(std::string_view collection, std::string_view id) {
  return scoped('D', collection, id);
}
std::string entry_prefix(std::uint32_t index) {
  std::string key = "X";
  append_big_endian(index, key);
  return key;
}
std::string answer_key(std::string_view request_id) {
  return "R" + std::string(request_id);
}
std::string turn_key(std::uint64_t sequence) {
  std::string key = "T";
  append_big_endian(sequence, key);
  return key;
}

std::optional<IndexName> read_index_key(std::string_view key) {
  if (key.size() < 2) return std::nullopt;
  const auto size = static_cast<unsigned char>(key[1]);
  if (key.size() < 2U + size) return std::nullopt;
  IndexName name{std::string(key.substr(2, size)), std::string(key.substr(2U + size))};
  if (!check_name(name.collection) || !check_name(name.name)) return std::nullopt;
  return name;
}

std::string encode(const MetaRow& row) {
  bus::Bytes bytes;
  bus::Writer writer(bytes);
  writer.put(row.layout);
  writer.put(row.next_index);
  writer.put(row.first_request);
  writer.put(row.next_request);
  return text(bytes);
}

std::string encode(const IndexRow& row) {
  bus::Bytes bytes;
  bus::Writer writer(bytes);
  writer.put(row.number);
  writer.put(static_cast<std::uint8_t>(row.complete));
  writer.short_text(row.cursor);
  writer.put(static_cast<std::uint8_t>(row.fields.size()));
  for (const IndexField& field : row.fields) {
    writer.put(static_cast<std::uint8_t>(field.descending));
    writer.long_bytes(bus::as_bytes(field.path));
  }
  return text(bytes);
}

std::string encode(const AnswerRow& row) {
  bus::Bytes bytes;
  bus::Writer writer(bytes);
  writer.put(row.time_ms);
  writer.put(row.fingerprint);
  for (const Outcome outcome : row.outcomes) writer.put(static_cast<std::uint8_t>(outcome));
  return text(bytes);
}

std::string encode(const TurnRow& row) {
  bus::Bytes bytes;
  bus::Writer writer(bytes);
  writer.put(row.time_ms);
  return text(bytes) + row.request_id;
}

std::string encode_count(std::uint64_t documents) {
  bus::Bytes bytes;
  bus::Writer(bytes).put(documents);
  return text(bytes);
}

std::optional<MetaRow> decode_meta(std::string_view value) {
  bus::Reader reader(bus::as_bytes(value));
  MetaRow row;
  row.layout = reader.get<std::uint8_t>();
  // A later layout has bytes of its own after this one.
  if (reader.ok() && row.layout != kLayout) return row;
  row.next_index = reader.get<std::uint32_t>();
  row.first_request = reader.get<std::uint64_t>();
  row.next_request = reader.get<std::uint64_t>();
  if (!reader.done() || row.first_request > row.next_request) return std::nullopt;
  return row;
}

std::optional<IndexRow> decode_index(std::string_view value) {
  bus::Reader reader(bus::as_bytes(value));
  IndexRow row;
  row.number = reader.get<std::uint32_t>();
  row.complete = reader.get<std::uint8_t>() != 0;
  row.cursor = reader.short_text();
  for (std::size_t left = reader.get<std::uint8_t>(); left > 0 && reader.ok(); --left) {
    const bool descending = reader.get<std::uint8_t>() != 0;
    row.fields.push_back({std::string(bus::as_text(reader.long_bytes())), descending});
  }
  if (!reader.done() || !check_fields(row.fields)) return std::nullopt;
  return row;
}

std::optional<AnswerRow> decode_answer(std::string_view value) {
  bus::Reader reader(bus::as_bytes(value));
  AnswerRow row;
  row.time_ms = reader.get<std::uint64_t>();
  row.fingerprint = reader.get<std::uint64_t>();
  constexpr std::size_t kAnswerHead = sizeof row.time_ms + sizeof row.fingerprint;
  if (!reader.ok() || value.size() > kAnswerHead + kMaxWrites) return std::nullopt;
  for (const char byte : value.substr(kAnswerHead)) {
    if (static_cast<unsigned char>(byte) > static_cast<unsigned char>(Outcome::erased)) {
      return std::nullopt;
    }
    row.outcomes.push_back(static_cast<Outcome>(byte));
  }
  return row;
}

std::optional<TurnRow> decode_turn(std::string_view value) {
  bus::Reader reader(bus::as_bytes(value));
  TurnRow row;
  row.time_ms = reader.get<std::uint64_t>();
  if (!reader.ok()) return std::nullopt;
  row.request_id = value.substr(sizeof row.time_ms);
  if (!check_text(row.request_id, kMaxName)) return std::nullopt;
  return row;
}

std::optional<std::uint64_t> decode_count(std::string_view value) {
  bus::Reader reader(bus::as_bytes(value));
  const auto documents = reader.get<std::uint64_t>();
  if (!reader.done()) return std::nullopt;
  return documents;
}

}  // namespace starbus::nodes::db
